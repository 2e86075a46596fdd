import { z } from "zod";
import { findRecordByUid } from "#app/db/repositories/oidc-records.server.ts";
import type { Store } from "#app/db/store.server.ts";
import type { Clock } from "#app/ports.ts";
import { SESSION_MAX_SECONDS, sessionStart } from "./policy.ts";

const payloadSchema = z.object({
  accountId: z.string(),
  generation: z.number(),
  loginTs: z.number().optional(),
  signedInAt: z.number().optional(),
});

/** The user and generation that a session must have. */
export type SessionUser = { userId: string; generation: number };

/** Returns true if the engine's session with this uid is not expired and has this user and generation. */
export async function isSessionAlive(
  { store, clock }: { store: Store; clock: Clock },
  uid: string,
  { userId, generation }: SessionUser,
): Promise<boolean> {
  const record = await findRecordByUid(store, "Session", uid);
  const payload = payloadSchema.safeParse(record?.payload);
  if (!record || !payload.success) return false;
  const now = clock.now();
  if (record.expiresAt !== null && record.expiresAt <= now) return false;
  const { accountId } = payload.data;
  if ((sessionStart(payload.data) ?? 0) + SESSION_MAX_SECONDS <= now.getTime() / 1000) return false;
  return accountId === userId && payload.data.generation === generation;
}

import { z } from "zod";
import { listEngineSessions, rewriteEngineSession } from "#app/db/repositories/engine-sessions.server.ts";
import type { JsonObject, OidcRecord } from "#app/db/schema.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { acrOf } from "#app/domain/sign-in/subject.server.ts";

const payloadSchema = z.looseObject({
  generation: z.number().optional(),
  loginTs: z.number().optional(),
  amr: z.array(z.string()).default([]),
  /** By client_id. */
  authorizations: z
    .record(z.string(), z.looseObject({ grantId: z.string().optional(), sid: z.string().optional() }))
    .default({}),
});

/** What the engine keeps of a session, as far as it concerns us. `loginTs`: of the sign-in, in seconds since 1970. */
export type EngineSessionPayload = z.output<typeof payloadSchema>;

/** Reads what the engine keeps of a session. */
export function readEngineSession({ payload }: Pick<OidcRecord, "payload">): EngineSessionPayload {
  return payloadSchema.parse(payload);
}

/** The sessions to move, and between which generations; `uid` null: all. `proven`: a factor that was given just now. */
export type SessionMove = {
  userId: string;
  from: number;
  to: number;
  uid: string | null;
  proven: "otp" | "hwk" | null;
  now: Date;
};

/**
 * Lets sessions live on in the user's new generation; those of any other one stay void. A factor that was proven counts
 * for them as if it had been given at the sign-in.
 */
export async function moveSessions(store: Store, { userId, from, to, uid, proven, now }: SessionMove): Promise<void> {
  for (const record of await listEngineSessions(store, { userId, now })) {
    const { generation, amr } = readEngineSession(record);
    if (generation !== from || (uid !== null && record.uid !== uid)) continue;
    await rewriteEngineSession(store, record.id, { ...record.payload, generation: to, ...proof(amr, proven) });
  }
}

function proof(amr: readonly string[], proven: SessionMove["proven"]): JsonObject {
  if (proven === null) return {};
  const methods = [...new Set([...amr, proven, "mfa"])];
  return { amr: methods, acr: acrOf(methods) };
}

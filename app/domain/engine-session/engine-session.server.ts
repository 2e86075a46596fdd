import { z } from "zod";
import { listEngineSessions, rewriteEngineSession } from "#app/db/repositories/engine-sessions.server.ts";
import { findRecordByUid } from "#app/db/repositories/oidc-records.server.ts";
import type { JsonObject, OidcRecord } from "#app/db/schema.server.ts";
import type { Store } from "#app/db/store.server.ts";
import type { Clock } from "#app/ports.ts";
import { SESSION_MAX_SECONDS, sessionStart } from "./lifetime.ts";
import { acrOf, withFactors } from "./subject.server.ts";

/** Stored characters of a `User-Agent` header. */
export const USER_AGENT_LENGTH = 300;

const visitSchema = z.object({ at: z.number(), address: z.string(), userAgent: z.string() });

/** Last use of a session. `at` is in seconds since 1970. */
export type SessionVisit = z.output<typeof visitSchema>;

const payloadSchema = z.looseObject({
  generation: z.number().optional(),
  loginTs: z.number().optional(),
  signedInAt: z.number().optional(),
  visit: visitSchema.optional(),
  amr: z.array(z.string()).default([]),
  /** By client_id. */
  authorizations: z
    .record(z.string(), z.looseObject({ grantId: z.string().optional(), sid: z.string().optional() }))
    .default({}),
});

/**
 * The parts of an engine session that we read. `loginTs`: last proof of identity; `signedInAt`: time of the sign-in
 * (see `sessionStart`). Both in seconds since 1970.
 */
type EngineSessionPayload = z.output<typeof payloadSchema>;

/** Parses the payload of an engine session. */
export function readEngineSession({ payload }: Pick<OidcRecord, "payload">): EngineSessionPayload {
  return payloadSchema.parse(payload);
}

/** A live session and its parsed payload. */
export type LiveSession = { uid: string; payload: EngineSessionPayload; expiresAt: Date | null };

/** Lists the live sessions of a user in the given generation. */
export async function listLiveSessions(
  store: Store,
  { userId, generation, now }: { userId: string; generation: number; now: Date },
): Promise<LiveSession[]> {
  const records = await listEngineSessions(store, { userId, now });
  return records.flatMap((record) => {
    const payload = readEngineSession(record);
    const endsAt = ((sessionStart(payload) ?? 0) + SESSION_MAX_SECONDS) * 1000;
    if (record.uid === null || payload.generation !== generation || endsAt <= now.getTime()) return [];
    return [{ uid: record.uid, payload, expiresAt: record.expiresAt }];
  });
}

/** Returns the `amr` of the session with this uid; empty when there is no such session. */
export async function findSessionMethods(store: Store, uid: string): Promise<string[]> {
  const record = await findRecordByUid(store, "Session", uid);
  return record ? readEngineSession(record).amr : [];
}

/** Returns the ids of the grants of a session. */
export function grantsOf({ payload }: LiveSession): string[] {
  return Object.values(payload.authorizations).flatMap(({ grantId }) => grantId ?? []);
}

/** Sessions to move from one generation to another; `uid` null moves all. `proven`: a factor that was just given. */
type SessionMove = {
  userId: string;
  from: number;
  to: number;
  uid: string | null;
  proven: "otp" | "hwk" | "swk" | null;
  now: Date;
};

/** Moves sessions of generation `from` to generation `to`. Adds a proven factor to their `amr` and adapts `acr`. */
export async function moveSessions(store: Store, { userId, from, to, uid, proven, now }: SessionMove): Promise<void> {
  for (const record of await listEngineSessions(store, { userId, now })) {
    const { generation, amr } = readEngineSession(record);
    if (generation !== from || (uid !== null && record.uid !== uid)) continue;
    await rewriteEngineSession(store, record.id, { ...record.payload, generation: to, ...proof(amr, proven) });
  }
}

function proof(amr: readonly string[], proven: SessionMove["proven"]): JsonObject {
  if (proven === null) return {};
  const methods = withFactors(amr, [proven]);
  return { amr: methods, acr: acrOf(methods) };
}

const livenessSchema = z.object({
  accountId: z.string(),
  generation: z.number(),
  loginTs: z.number().optional(),
  signedInAt: z.number().optional(),
});

/** The user and generation that a session must have. */
type SessionUser = { userId: string; generation: number };

/** Returns true if the engine's session with this uid is not expired and has this user and generation. */
export async function isSessionAlive(
  { store, clock }: { store: Store; clock: Clock },
  uid: string,
  { userId, generation }: SessionUser,
): Promise<boolean> {
  const record = await findRecordByUid(store, "Session", uid);
  const payload = livenessSchema.safeParse(record?.payload);
  if (!record || !payload.success) return false;
  const now = clock.now();
  if (record.expiresAt !== null && record.expiresAt <= now) return false;
  const { accountId } = payload.data;
  if ((sessionStart(payload.data) ?? 0) + SESSION_MAX_SECONDS <= now.getTime() / 1000) return false;
  return accountId === userId && payload.data.generation === generation;
}

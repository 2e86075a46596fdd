import { z } from "zod";
import { listEngineSessions, rewriteEngineSession } from "#app/db/repositories/engine-sessions.server.ts";
import { findRecordByUid } from "#app/db/repositories/oidc-records.server.ts";
import type { JsonObject, OidcRecord } from "#app/db/schema.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { acrOf } from "#app/domain/sign-in/subject.server.ts";
import { SESSION_MAX_SECONDS, sessionStart } from "./policy.ts";

/** Characters of a browser's own name that are kept. */
export const USER_AGENT_LENGTH = 300;

const visitSchema = z.object({ at: z.number(), address: z.string(), userAgent: z.string() });

/** From where a session was used last; `at`: seconds since 1970. */
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
 * What the engine keeps of a session, as far as it concerns us. `loginTs`: of the last proof of identity; `signedInAt`: of
 * the sign-in; both in seconds since 1970 (see `sessionStart`).
 */
export type EngineSessionPayload = z.output<typeof payloadSchema>;

/** Reads what the engine keeps of a session. */
export function readEngineSession({ payload }: Pick<OidcRecord, "payload">): EngineSessionPayload {
  return payloadSchema.parse(payload);
}

/** A session that counts, with what is read of it. */
export type LiveSession = { uid: string; payload: EngineSessionPayload; expiresAt: Date | null };

/** The sessions in which this person is signed in, of the generation that they have now. */
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

/** The grants that applications were given in a session. */
export function grantsOf({ payload }: LiveSession): string[] {
  return Object.values(payload.authorizations).flatMap(({ grantId }) => grantId ?? []);
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

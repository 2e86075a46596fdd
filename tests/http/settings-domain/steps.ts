import { listEngineSessions } from "#app/db/repositories/engine-sessions.server.ts";
import { findUser } from "#app/db/repositories/users.server.ts";
import type { SettingsAccess } from "#app/domain/access/access.ts";
import { hashToken } from "#app/domain/secret/token-hash.server.ts";
import type { TestServer, TestUser } from "#tests/support/server.ts";

export const METADATA = { browser: "", address: "127.0.0.1", userAgent: "", requestId: "r-1" };

/** Returns the uids of the user's engine sessions, oldest first. */
export async function sessionsOf({ context }: TestServer, { id: userId }: TestUser): Promise<string[]> {
  const records = await listEngineSessions(context.store, { userId, now: context.clock.now() });
  return records
    .map(({ uid, payload }) => ({ uid: uid ?? "", since: Number(payload.loginTs) }))
    .sort((a, b) => a.since - b.since)
    .map(({ uid }) => uid);
}

/** Returns access to the user's settings, as if just opened from this session. */
export async function settingsOf(
  { context: { store, clock } }: TestServer,
  { id: userId }: TestUser,
  sessionUid: string,
): Promise<SettingsAccess> {
  const user = await findUser(store, userId);
  if (!user) throw new Error("user not found");
  const { generation } = user;
  const now = clock.now();
  const pageSessionHash = hashToken(`page of ${sessionUid} ${generation}`);
  const times = { authTime: now, createdAt: now, lastUsedAt: now, expiresAt: new Date(now.getTime() + 60_000) };
  const fields = { userId, generation, sessionUid, ...times };
  await store.q
    .insert(store.t.manageSessions)
    .values({ tokenHash: pageSessionHash, browserHash: hashToken("browser"), ...fields });
  const holder = { kind: "page", pageSessionHash } as const;
  return { userId, generation, authTime: now, sessionUid, clientId: null, returnToUrl: null, holder };
}

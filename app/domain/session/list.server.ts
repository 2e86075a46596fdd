import { browserName } from "#app/browser-name.server.ts";
import { findClientNames } from "#app/db/repositories/clients.server.ts";
import type { Store } from "#app/db/store.server.ts";
import type { SettingsAccess } from "#app/domain/access/access.ts";
import { type LiveSession, listLiveSessions } from "#app/domain/engine-session/engine-session.server.ts";
import { sessionStart } from "#app/domain/engine-session/lifetime.ts";
import type { Clock } from "#app/ports.ts";

/**
 * A session in the settings. `id` identifies it and is not a secret. `isThis`: the settings were opened in it.
 * `applications`: names of the clients that used it. `browser`: null parts are unknown. `address`: "" if unknown.
 */
export type OwnSession = {
  id: string;
  isThis: boolean;
  applications: string[];
  since: Date;
  lastUsedAt: Date;
  browser: { name: string | null; system: string | null };
  address: string;
};

/** Lists the user's sessions: the current one first, then by last use. */
export async function listOwnSessions(
  { store, clock }: { store: Store; clock: Clock },
  { userId, generation, sessionUid }: Pick<SettingsAccess, "userId" | "generation" | "sessionUid">,
): Promise<OwnSession[]> {
  const live = await listLiveSessions(store, { userId, generation, now: clock.now() });
  const names = await findClientNames(store, [...new Set(live.flatMap(clientIds))]);
  const sessions = live.map((session) => view(session, { sessionUid, names }));
  return sessions.sort(
    (a, b) => Number(b.isThis) - Number(a.isThis) || b.lastUsedAt.getTime() - a.lastUsedAt.getTime(),
  );
}

function clientIds({ payload }: LiveSession): string[] {
  return Object.keys(payload.authorizations);
}

function view(
  session: LiveSession,
  { sessionUid, names }: { sessionUid: string | null; names: ReadonlyMap<string, string> },
): OwnSession {
  const { visit } = session.payload;
  const since = sessionStart(session.payload) ?? 0;
  return {
    id: session.uid,
    isThis: session.uid === sessionUid,
    applications: clientIds(session)
      .flatMap((id) => names.get(id) ?? [])
      .sort(),
    since: new Date(since * 1000),
    lastUsedAt: new Date((visit?.at ?? since) * 1000),
    browser: browserName(visit?.userAgent ?? ""),
    address: visit?.address ?? "",
  };
}

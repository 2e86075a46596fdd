import { and, eq, isNotNull, notInArray } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import type { Store } from "#app/db/store.server.ts";
import { addClient } from "#app/domain/client/add.server.ts";
import { removeClient } from "#app/domain/client/remove.server.ts";
import { setClient } from "#app/domain/client/set.server.ts";
import { addGroup } from "#app/domain/group/add.server.ts";
import { removeGroup } from "#app/domain/group/remove.server.ts";
import { dialects, withStore } from "#tests/support/databases.ts";
import { installation } from "#tests/unit/domain/fixtures.ts";

/** More users than one statement ends the access of. */
const USERS = 501;

const LATER = new Date("2030-01-01T00:00:00.000Z");
const CLIENT = { redirectUris: ["https://app.example/cb"], firstParty: true, scopes: ["openid", "offline"] };

/** Two applications with a session, grants and tokens of each of 501 users, who have access to one of them by a group. */
async function prepare(store: Store) {
  const context = installation(store);
  const group = await addGroup(context, { name: "Sales" });
  await addGroup(context, { name: "Accounting" });
  const closing = {
    ...CLIENT,
    access: "groups" as const,
    groups: ["Sales"],
    backchannelLogoutUri: "https://app.example/bc",
  };
  await addClient(context, { ...closing, id: "closing", name: "Closing" });
  await addClient(context, { ...CLIENT, id: "open", name: "Open", backchannelLogoutUri: "https://open.example/bc" });
  const ids = Array.from({ length: USERS }, (_, index) => `user-${index}`);
  const now = context.clock.now();
  await store.q.insert(store.t.users).values(
    ids.map((id) => ({
      ...{ id, username: id, usernameCanonical: id, displayName: id, sortName: id, passwordHash: "-" },
      ...{ createdAt: now, updatedAt: now },
    })),
  );
  await store.q.insert(store.t.groupMembers).values(ids.map((userId) => ({ userId, groupId: group.id })));
  for (const id of ids) await store.q.insert(store.t.oidcRecords).values(recordsOf(id));
  return context;
}

function recordsOf(userId: string) {
  const common = { accountId: userId, expiresAt: LATER };
  const clientIds = ["closing", "open"];
  const authorizations = Object.fromEntries(
    clientIds.map((id) => [id, { sid: `sid-${id}-${userId}`, grantId: `grant-${id}-${userId}` }]),
  );
  return [
    { ...common, model: "Session", id: `session-${userId}`, uid: `uid-${userId}`, payload: { authorizations } },
    ...clientIds.flatMap((clientId) => {
      const grantId = `grant-${clientId}-${userId}`;
      return [
        { ...common, model: "Grant", id: grantId, clientId, payload: {} },
        { ...common, model: "AccessToken", id: `access-${clientId}-${userId}`, clientId, grantId, payload: {} },
        { ...common, model: "RefreshToken", id: `refresh-${clientId}-${userId}`, clientId, grantId, payload: {} },
      ];
    }),
  ];
}

/** Counts the records that a client has of users, and the logouts that are queued for it. */
async function countsOf(store: Store, clientId: string) {
  const { oidcRecords: records, backchannelLogouts: logouts } = store.t;
  const own = and(eq(records.clientId, clientId), isNotNull(records.accountId), notInArray(records.model, ["Session"]));
  return {
    records: await store.q.$count(records, own),
    logouts: await store.q.$count(logouts, eq(logouts.clientId, clientId)),
  };
}

const ENDED = { records: 0, logouts: USERS };
const KEPT = { records: 3 * USERS, logouts: 0 };

describe.each(dialects)("an application that 501 users lose, on %s", (dialect) => {
  it.each([
    [
      "closed",
      (context: ReturnType<typeof installation>) => setClient(context, "closing", { disallowGroups: ["Sales"] }),
    ],
    [
      "of a removed group",
      (context: ReturnType<typeof installation>) => removeGroup(context, "Sales", { endMemberships: true }),
    ],
    ["removed", (context: ReturnType<typeof installation>) => removeClient(context, "closing")],
  ])(
    "has no grants and tokens when it is %s, and a logout of each; another application keeps all",
    async (_what, lose) => {
      const store = await withStore(dialect);
      const context = await prepare(store);
      await lose(context);
      expect(await countsOf(store, "closing")).toEqual(ENDED);
      expect(await countsOf(store, "open")).toEqual(KEPT);
      const sessions = await store.q.select().from(store.t.oidcRecords).where(eq(store.t.oidcRecords.model, "Session"));
      const named = sessions.map(({ payload }) => Object.keys(payload.authorizations ?? {}));
      expect(named).toEqual(sessions.map(() => ["open"]));
    },
  );
});

import { describe, expect, it } from "vitest";
import { findOneTimeTokenOfSlot } from "#app/db/repositories/one-time-tokens.server.ts";
import { putUserRole, removeUserRole } from "#app/db/repositories/user-roles.server.ts";
import { findUser, setUserPassword } from "#app/db/repositories/users.server.ts";
import type { NewUser } from "#app/db/schema.server.ts";
import type { Store } from "#app/db/store.server.ts";
import type { Administrator } from "#app/domain/administration/administrator.ts";
import { recordEvent } from "#app/domain/audit/record.server.ts";
import { hasCode } from "#app/domain/base/errors.ts";
import { addGroup } from "#app/domain/group/add.server.ts";
import { grantRole } from "#app/domain/role/grant.server.ts";
import { addUser } from "#app/domain/user/add.server.ts";
import { planImport } from "#app/domain/user/import/plan.server.ts";
import { INVITATION_LIMIT, resendInvitation, withdrawInvitation } from "#app/domain/user/invitations.server.ts";
import { removeUser } from "#app/domain/user/remove.server.ts";
import { whenWaiting } from "#tests/http/oidc/lock-wait.ts";
import { type Dialect, dialects, withStore } from "#tests/support/databases.ts";
import { holdCalls, installation, putUser } from "#tests/unit/domain/fixtures.ts";

const at = new Date("2026-03-01T00:00:00.000Z");

const ADMINISTRATOR: Administrator = {
  ...{ userId: "helga", username: "helga", generation: 1 },
  ...{ role: "administrator", officeId: null },
};

function helpDeskOf(officeId: string | null): Administrator {
  return { ...ADMINISTRATOR, userId: "desk", username: "desk", role: "help-desk", officeId };
}

/** Stores the role of an administrator, or another office of a help desk. */
async function putRole(store: Store, { userId, role, officeId }: Administrator) {
  await store.tx((tx) => putUserRole(tx, { userId, role, officeId, grantedAt: at }));
}

/** Returns a database with the administrator, and the help desk for all offices. */
async function withAdministrators(dialect: Dialect): Promise<Store> {
  const store = await withStore(dialect);
  for (const administrator of [ADMINISTRATOR, helpDeskOf(null)]) {
    await putUser(store, { id: administrator.userId, username: administrator.username });
    await putRole(store, administrator);
  }
  return store;
}

async function putInvited(store: Store, fields: Partial<NewUser> = {}) {
  return putUser(store, { username: "anna", email: "anna@office.example", ...fields });
}

const isTaken = (error: unknown) => hasCode(error, "username not available");

describe.each(dialects)("invitations on %s", (dialect) => {
  it("are sent again with a new link for seven days, which replaces the old one", async () => {
    const store = await withAdministrators(dialect);
    const context = installation(store);
    const { id } = await putInvited(store);
    const first = await resendInvitation(context, ADMINISTRATOR, id);
    expect(first).toEqual({ kind: "done", expiresAt: new Date("2026-03-09T08:00:15.000Z") });
    context.clock.advance(60);
    expect(await resendInvitation(context, ADMINISTRATOR, id)).toMatchObject({ kind: "done" });
    const slot = { kind: "password-reset", slot: id, now: context.clock.now() } as const;
    expect(await findOneTimeTokenOfSlot(store, slot)).toMatchObject({
      expiresAt: new Date("2026-03-09T08:01:15.000Z"),
    });
    expect(await store.q.$count(store.t.oneTimeTokens)).toBe(1);
    expect(await store.q.select().from(store.t.auditEvents)).toMatchObject([
      { type: "user.invited", userId: id },
      { type: "user.invited", userId: id },
    ]);
  });

  it("are withdrawn with the account, its link and its mail; the user name becomes free", async () => {
    const store = await withAdministrators(dialect);
    const context = installation(store);
    const { id } = await putInvited(store);
    await resendInvitation(context, ADMINISTRATOR, id);
    expect(await withdrawInvitation(context, ADMINISTRATOR, id)).toEqual({ kind: "done", displayName: "anna" });
    expect(await findUser(store, id)).toBeNull();
    expect(await store.q.$count(store.t.oneTimeTokens)).toBe(0);
    expect(await withdrawInvitation(context, ADMINISTRATOR, id)).toEqual({ kind: "not found" });
    expect((await store.q.select().from(store.t.auditEvents)).map(({ type }) => type)).toContain("user.removed");
    expect(await addUser(context, { username: "anna", displayName: "Anna" })).toMatchObject({ username: "anna" });
  });

  // Proves requirement 202.
  it("keep the user name of an account reserved that an application has registered", async () => {
    const store = await withAdministrators(dialect);
    const context = installation(store);
    const { id } = await putInvited(store);
    await recordEvent(context, { type: "registration.completed", outcome: "ok", userId: id, clientId: "portal" });
    expect(await withdrawInvitation(context, ADMINISTRATOR, id)).toMatchObject({ kind: "done" });
    await expect(addUser(context, { username: "Anna", displayName: "Anna" })).rejects.toThrow("username not available");
  });

  it.each([
    ["a password", { passwordHash: "plain:x" }],
    ["a sign-in", { lastSignedInAt: at }],
  ])("are over after %s", async (_, used) => {
    const store = await withAdministrators(dialect);
    const context = installation(store);
    const { id } = await putInvited(store, used);
    expect(await withdrawInvitation(context, ADMINISTRATOR, id)).toEqual({ kind: "used" });
    expect(await resendInvitation(context, ADMINISTRATOR, id)).toEqual({ kind: "used" });
    expect(await findUser(store, id)).not.toBeNull();
    expect(await store.q.$count(store.t.auditEvents)).toBe(0);
  });

  it("are over after an external account was connected", async () => {
    const store = await withAdministrators(dialect);
    const { id: userId } = await putInvited(store);
    const identity = { provider: "google", issuer: "https://accounts.example", subject: "s", groupKey: "" } as const;
    await store.q.insert(store.t.externalAccounts).values({ id: "e", userId, linkedAt: at, ...identity });
    expect(await withdrawInvitation(installation(store), ADMINISTRATOR, userId)).toEqual({ kind: "used" });
  });

  // Proves requirement 204.
  it("keep the account if the link is used while they are withdrawn", async () => {
    const store = await withAdministrators(dialect);
    const { id } = await putInvited(store);
    const held = holdCalls();
    const use = store.tx(async (tx) => {
      await setUserPassword(tx, id, { hash: "plain:x", how: "link", at });
      await held.pass();
      await whenWaiting(tx);
    });
    await held.started;
    const withdrawal = withdrawInvitation(installation(store), ADMINISTRATOR, id);
    held.release();
    await use;
    expect(await withdrawal).toEqual({ kind: "used" });
    expect(await findUser(store, id)).toMatchObject({ passwordHash: "plain:x" });
  });

  it("of another office are unknown to a help desk, and those of a higher rank are not allowed", async () => {
    const store = await withAdministrators(dialect);
    const context = installation(store);
    const north = await addGroup(context, { name: "North" });
    const { id } = await putInvited(store);
    const { id: colleague } = await putInvited(store, { username: "bernd", groupId: north.id });
    await store.tx((tx) => grantRole({ ...context, store: tx }, { id: colleague, username: "bernd" }, ROLE));
    await putRole(store, helpDeskOf(north.id));
    for (const change of [resendInvitation, withdrawInvitation]) {
      expect(await change(context, helpDeskOf(north.id), id)).toEqual({ kind: "not found" });
      expect(await change(context, helpDeskOf(north.id), colleague)).toEqual({ kind: "not allowed" });
      expect(await change(context, { ...ADMINISTRATOR, userId: colleague }, colleague)).toEqual({
        kind: "not allowed",
      });
    }
    await putRole(store, helpDeskOf(null));
    expect(await resendInvitation(context, helpDeskOf(null), id)).toMatchObject({ kind: "done" });
  });

  // Proves requirement 207.
  it.each([
    ["sent again", resendInvitation],
    ["withdrawn", withdrawInvitation],
  ])("are not %s by an administrator whose role is taken at the same moment", async (_what, change) => {
    const store = await withAdministrators(dialect);
    const { id } = await putInvited(store);
    const held = holdCalls();
    const revocation = store.tx(async (tx) => {
      await tx.lock("roles");
      await removeUserRole(tx, ADMINISTRATOR.userId);
      await held.pass();
      await whenWaiting(tx);
    });
    await held.started;
    const changed = change(installation(store), ADMINISTRATOR, id);
    held.release();
    await revocation;
    expect(await changed).toEqual({ kind: "not found" });
    expect(await findUser(store, id)).not.toBeNull();
    expect(await store.q.$count(store.t.oneTimeTokens)).toBe(0);
  });

  it("are not sent to a blocked person, nor without an address", async () => {
    const store = await withAdministrators(dialect);
    const context = installation(store);
    const blocked = await putInvited(store, { status: "blocked" });
    const nameless = await putInvited(store, { username: "bernd", email: null });
    expect(await resendInvitation(context, ADMINISTRATOR, blocked.id)).toEqual({ kind: "blocked" });
    expect(await resendInvitation(context, ADMINISTRATOR, nameless.id)).toEqual({ kind: "no e-mail" });
  });

  // Proves requirement 203.
  it("are limited per administrator and hour", async () => {
    const store = await withAdministrators(dialect);
    const context = installation(store);
    const { id } = await putInvited(store);
    const key = `${INVITATION_LIMIT.name}:helga`;
    const expiresAt = new Date(context.clock.now().getTime() + 60_000);
    await store.q.insert(store.t.rateLimits).values({ key, points: INVITATION_LIMIT.points - 1, expiresAt });
    expect(await resendInvitation(context, ADMINISTRATOR, id)).toMatchObject({ kind: "done" });
    expect(await resendInvitation(context, ADMINISTRATOR, id)).toEqual({ kind: "throttled", retryAfterSeconds: 60 });
    expect(await resendInvitation(context, helpDeskOf(null), id)).toMatchObject({ kind: "done" });
  });
});

const ROLE = { role: "administrator", office: null } as const;

describe.each(dialects)("the user name of a removed user on %s", (dialect) => {
  // Proves requirement 202.
  it("stays reserved for new users and imports", async () => {
    const store = await withStore(dialect);
    const context = installation(store);
    await addUser(context, { username: "Anna", displayName: "Anna" });
    await removeUser(context, "anna");
    await expect(addUser(context, { username: "ANNA", displayName: "Other" })).rejects.toSatisfy(isTaken);
    const plan = await planImport(context, [{ line: 2, fields: { username: "anna", display_name: "Other" } }], {
      onConflict: "fail",
    });
    const problem = "username: was the name of a removed user, so it stays reserved";
    expect(plan.problems).toEqual([{ line: 2, problem, reason: { kind: "reserved" } }]);
    expect(plan.problems).toMatchObject([{ line: 2, problem }]);
    expect(await store.q.$count(store.t.users)).toBe(0);
  });

  it("stays reserved for a user who is added while the other one is removed", async () => {
    const store = await withStore(dialect);
    const context = installation(store);
    await addUser(context, { username: "anna", displayName: "Anna" });
    const held = holdCalls();
    const removal = removeUser({ ...context, store: holdingTransactions(store, held) }, "anna");
    await held.started;
    const refused = expect(addUser(context, { username: "anna", displayName: "Other" })).rejects.toSatisfy(isTaken);
    held.release();
    await removal;
    await refused;
    expect(await store.q.$count(store.t.users)).toBe(0);
  });
});

/** Returns the store whose transactions wait, before their commit, until another transaction waits for them. */
function holdingTransactions(store: Store, held: ReturnType<typeof holdCalls>): Store {
  return {
    ...store,
    tx: (work) =>
      store.tx(async (tx) => {
        const result = await work(tx);
        await held.pass();
        await whenWaiting(tx);
        return result;
      }),
  };
}

import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { consumeOneTimeToken } from "#app/db/repositories/one-time-tokens.server.ts";
import { createUser, findUser, invalidateSessions, updateUserProfile } from "#app/db/repositories/users.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { recordEvent } from "#app/domain/audit/record.server.ts";
import { hasCode } from "#app/domain/base/errors.ts";
import { addGroup } from "#app/domain/group/add.server.ts";
import { removeGroup } from "#app/domain/group/remove.server.ts";
import { hashToken } from "#app/domain/secret/token-hash.server.ts";
import { addUser, prepareUser, storeUser } from "#app/domain/user/add.server.ts";
import { applyImport } from "#app/domain/user/import/apply.server.ts";
import { planImport } from "#app/domain/user/import/plan.server.ts";
import { removeUser } from "#app/domain/user/remove.server.ts";
import { setUser } from "#app/domain/user/set.server.ts";
import { requireVerifiable } from "#app/domain/username/require-free.server.ts";
import { whenWaiting } from "#tests/http/oidc/lock-wait.ts";
import { dialects, withStore } from "#tests/support/databases.ts";
import {
  fixedClock,
  holdCalls,
  mailConfig,
  putUser,
  quickHasher,
  random,
  recordingLog,
  secrets,
} from "#tests/unit/domain/fixtures.ts";

const at = new Date("2026-03-01T00:00:00.000Z");

function administration(store: Store) {
  const hasher = quickHasher().hasher;
  return { store, clock: fixedClock(), random, secrets, hasher, log: recordingLog().log, config: mailConfig };
}

async function connectGoogle(store: Store, userId: string, groupKey: string) {
  const fields = { provider: "google", issuer: "https://accounts.example", subject: "s-1" } as const;
  await store.q
    .insert(store.t.externalAccounts)
    .values({ id: `google-${userId}`, userId, groupKey, linkedAt: at, ...fields });
}

async function putLink(store: Store, userId: string, kind: "password-reset" | "mfa-reset" | "settings") {
  const fields = { payload: {}, createdAt: at, expiresAt: new Date("2026-12-31T00:00:00.000Z") };
  await store.q.insert(store.t.oneTimeTokens).values({ tokenHash: hashToken(kind), kind, userId, ...fields });
}

function newUser({ id, groupId }: { id: string; groupId: string }) {
  return { id, groupId, username: id, usernameCanonical: id, displayName: id, createdAt: at, updatedAt: at };
}

describe.each(dialects)("administration on %s", (dialect) => {
  it("moving a user to another group moves the external accounts", async () => {
    const store = await withStore(dialect);
    const context = administration(store);
    const { id: groupId } = await addGroup(context, { name: "North" });
    const anna = await putUser(store, { username: "anna" });
    await connectGoogle(store, anna.id, "");
    await setUser(context, "anna", { groupName: "North" });
    const accounts = await store.q.select().from(store.t.externalAccounts);
    expect(accounts.map(({ groupKey }) => groupKey)).toEqual([groupId]);
  });

  it("but not into a group in which the identity has another account: nothing changes", async () => {
    const store = await withStore(dialect);
    const context = administration(store);
    const { id: groupId } = await addGroup(context, { name: "North" });
    const anna = await putUser(store, { username: "anna" });
    const bernd = await putUser(store, { username: "bernd", groupId });
    await connectGoogle(store, anna.id, "");
    await connectGoogle(store, bernd.id, groupId);
    const moving = setUser(context, "anna", { groupName: "North", phone: "1" });
    await expect(moving).rejects.toSatisfy((error) => hasCode(error, "account in use"));
    expect(await findUser(store, anna.id)).toMatchObject({ groupId: null, phone: null });
  });

  it("a new mail address is unverified, and links mailed to the old one are invalid", async () => {
    const store = await withStore(dialect);
    const anna = await putUser(store, { username: "anna", email: "a@example.com", emailVerified: true });
    for (const kind of ["password-reset", "mfa-reset", "settings"] as const) await putLink(store, anna.id, kind);
    const context = administration(store);
    await setUser(context, "anna", { email: "a@example.com", phone: "1" });
    expect(await findUser(store, anna.id)).toMatchObject({ emailVerified: true });
    expect(await store.q.$count(store.t.oneTimeTokens)).toBe(3);
    await setUser(context, "anna", { email: "b@example.com" });
    expect(await findUser(store, anna.id)).toMatchObject({ email: "b@example.com", emailVerified: false });
    expect((await store.q.select().from(store.t.oneTimeTokens)).map(({ kind }) => kind)).toEqual(["settings"]);
  });

  it("a new mail address waits for a link that is used at the same moment, without a deadlock", async () => {
    const store = await withStore(dialect);
    const anna = await putUser(store, { username: "anna", email: "a@example.com" });
    await putLink(store, anna.id, "password-reset");
    const held = holdCalls();
    const reset = store.tx(async (tx) => {
      await consumeOneTimeToken(tx, { kind: "password-reset", tokenHash: hashToken("password-reset"), now: at });
      await held.pass();
      await whenWaiting(tx);
      await invalidateSessions(tx, anna.id, at);
    });
    await held.started;
    const change = setUser(administration(store), "anna", { email: "b@example.com" });
    held.release();
    await reset;
    expect((await change).user).toMatchObject({ email: "b@example.com" });
  });

  it("an import of changes waits for a change of one of its users, without a deadlock", async () => {
    const store = await withStore(dialect);
    const context = administration(store);
    const users = [await putUser(store, { username: "anna" }), await putUser(store, { username: "bernd" })];
    const raw = users.map(({ username }, line) => ({ line, fields: { username, display_name: "New", phone: "1" } }));
    const { rows } = await planImport(context, raw, { onConflict: "update" });
    const bernd = users[1]?.id ?? "";
    const held = holdCalls();
    const change = store.tx(async (tx) => {
      await invalidateSessions(tx, bernd, at);
      await held.pass();
      await whenWaiting(tx);
      await recordEvent({ ...context, store: tx }, { type: "user.sessions-ended", outcome: "ok", userId: bernd });
    });
    await held.started;
    const imported = applyImport(context, rows);
    held.release();
    await change;
    expect(await imported).toMatchObject({ updated: 2 });
  });

  it("an import changes no other user who has taken the name since its check", async () => {
    const store = await withStore(dialect);
    const context = administration(store);
    const { id } = await putUser(store, { username: "anna" });
    const raw = [{ line: 2, fields: { username: "anna", display_name: "Anna", phone: "1", status: "blocked" } }];
    const { rows } = await planImport(context, raw, { onConflict: "update" });
    const { users } = store.t;
    await store.q.update(users).set({ username: "berg", usernameCanonical: "berg" }).where(eq(users.id, id));
    const { id: other } = await putUser(store, { username: "anna" });
    await expect(applyImport(context, rows)).rejects.toThrow("user not found");
    expect(await findUser(store, other)).toMatchObject({ phone: null, status: "active" });
    expect(await findUser(store, id)).toMatchObject({ phone: null, status: "active" });
  });

  it("a user who joins a group while it is removed keeps it, or is refused", async () => {
    const store = await withStore(dialect);
    const context = administration(store);
    const { id } = await addGroup(context, { name: "North" });
    const held = holdCalls();
    const joining = store.tx(async (tx) => {
      await createUser(tx, newUser({ id: "anna", groupId: id }));
      await held.pass();
      await whenWaiting(tx);
    });
    await held.started;
    const hasMembers = (error: unknown) => hasCode(error, "group has members");
    const refused = expect(removeGroup(context, "North")).rejects.toSatisfy(hasMembers);
    held.release();
    await joining;
    await refused;
    expect(await findUser(store, "anna")).toMatchObject({ groupId: id });
    await addGroup(context, { name: "East" });
    const prepared = await prepareUser(context, { username: "bernd", displayName: "Bernd", groupName: "East" });
    await removeGroup(context, "East");
    const late = store.tx((tx) => storeUser({ ...context, store: tx }, prepared));
    await expect(late).rejects.toSatisfy((error) => hasCode(error, "group not found"));
  });

  it("adding a user beside an import that adds the same one, and verifying the address, does not end in a deadlock", async () => {
    const store = await withStore(dialect);
    const context = administration(store);
    const raw = ["zoe", "anna"].map((username, line) => ({ line, fields: { username, display_name: "New" } }));
    const { rows } = await planImport(context, raw, { onConflict: "skip" });
    const { id } = await addUser(context, { username: "anna", displayName: "Anna", email: "a@example.com" });
    const held = holdCalls();
    // As `user set --email-verified`: it locks the user, and then the names that look like addresses.
    const verification = store.tx(async (tx) => {
      await updateUserProfile(tx, id, { emailVerified: true }, at);
      await held.pass();
      await whenWaiting(tx);
      await requireVerifiable(tx, "a@example.com", id);
    });
    await held.started;
    const isTaken = (error: unknown) => hasCode(error, "username not available");
    const refused = expect(applyImport(context, rows)).rejects.toSatisfy(isTaken);
    held.release();
    await verification;
    await refused;
    expect(await findUser(store, id)).toMatchObject({ emailVerified: true });
    // The batch with the added user was rolled back as a whole; the repeated import adds the other one.
    const again = await planImport(context, raw, { onConflict: "skip" });
    expect(await applyImport(context, again.rows)).toMatchObject({ added: 1, skipped: 1 });
  });

  it("removing a user removes all rows but the audit trail", async () => {
    const store = await withStore(dialect);
    const anna = await putUser(store, { username: "anna" });
    const bernd = await putUser(store, { username: "bernd" });
    for (const { id } of [anna, bernd])
      await store.q
        .insert(store.t.knownBrowsers)
        .values({ userId: id, browserHash: id, firstSeenAt: at, lastSeenAt: at });
    await connectGoogle(store, anna.id, "");
    await putLink(store, anna.id, "password-reset");
    await store.q.insert(store.t.recoveryCodes).values({ userId: anna.id, codeHash: "h", createdAt: at });
    await store.q.insert(store.t.oidcRecords).values({ model: "Session", id: "s", accountId: anna.id, payload: {} });
    await store.q.insert(store.t.rateLimits).values({ key: `second-factor/day:${anna.id}`, points: 3 });
    await removeUser(administration(store), "anna");
    const { users, knownBrowsers, externalAccounts, oneTimeTokens, recoveryCodes, rateLimits, oidcRecords } = store.t;
    const emptyTables = [users, knownBrowsers, externalAccounts, oneTimeTokens, recoveryCodes, rateLimits];
    // The tombstone contains no account and stays until the session's expiry.
    const tombstone = { id: "s", accountId: null, payload: {}, destroyedAt: expect.any(Date) };
    expect(await store.q.select().from(oidcRecords)).toEqual([expect.objectContaining(tombstone)]);
    expect(await Promise.all(emptyTables.map((table) => store.q.$count(table)))).toEqual([1, 1, 0, 0, 0, 0]);
    expect(await store.q.select().from(store.t.auditEvents)).toMatchObject([{ type: "user.removed", userId: anna.id }]);
  });
});

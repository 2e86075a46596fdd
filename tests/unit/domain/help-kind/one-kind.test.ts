import { eq } from "drizzle-orm";
import { beforeEach, describe, expect, it } from "vitest";
import { putUserRole } from "#app/db/repositories/user-roles.server.ts";
import { findUser } from "#app/db/repositories/users.server.ts";
import type { HelpKind, User } from "#app/db/schema.server.ts";
import type { Administrator } from "#app/domain/administration/administrator.ts";
import { findFactors } from "#app/domain/factor/factors.server.ts";
import { giveHelp } from "#app/domain/help-link/give.server.ts";
import { resetFactorsByHelp } from "#app/domain/help-link/new-device.server.ts";
import { type RemovableMethod, removeMethod } from "#app/domain/person/remove-factor.server.ts";
import { addUser } from "#app/domain/user/add.server.ts";
import { inviteUser } from "#app/domain/user/invite.server.ts";
import { createFactorResetLink, createPasswordLink } from "#app/domain/user/links.server.ts";
import { setUserPassword } from "#app/domain/user/set-password.server.ts";
import { DAY_SECONDS, HOUR_SECONDS } from "#app/durations.ts";
import { dialects, withTwoStores } from "#tests/support/databases.ts";
import { type Installation, installation, putUser } from "#tests/unit/domain/fixtures.ts";
import { putUserWithApp } from "#tests/unit/domain/second-factor/sign-in-fixtures.ts";

const META = { address: "192.0.2.1", userAgent: "", requestId: "r", browser: "b" };
const NEW = "Kiesel-Laterne-81";
const APP: RemovableMethod = { kind: "totp" };

describe.each(dialects)("help of one kind in 24 hours on %s", (dialect) => {
  let deps: Installation;
  let other: Installation;
  let administrators: [Administrator, Administrator];
  let anna: User;

  /** Two administrators in two processes, and Anna, who has an app, an address and the password "x". */
  beforeEach(async () => {
    const [store, otherStore] = await withTwoStores(dialect);
    deps = installation(store);
    other = { ...installation(otherStore), clock: deps.clock };
    administrators = [await putAdministrator("ada"), await putAdministrator("bea")];
    const { user } = await putUserWithApp(deps, "anna");
    const fields = { email: "anna@office.example", passwordHash: "plain:x", passwordSetHow: "settings" as const };
    await store.q.update(store.t.users).set(fields).where(eq(store.t.users.id, user.id));
    anna = { ...user, ...fields };
  });

  async function putAdministrator(name: string): Promise<Administrator> {
    const { id: userId, username, generation } = await putUser(deps.store, { username: name });
    await putUserRole(deps.store, { userId, role: "administrator", officeId: null, grantedAt: deps.clock.now() });
    return { userId, username, generation, role: "administrator", officeId: null };
  }

  const give = (kind: HelpKind, at = deps, by = administrators[0]) =>
    giveHelp(at, by, { ...META, personId: anna.id, kind, hours: 24, language: "de" });

  async function attempt(kind: HelpKind, at?: Installation, by?: Administrator) {
    const outcome = await give(kind, at, by);
    return outcome.kind === "refused" ? outcome.refusal.kind : outcome.kind;
  }

  const remove = (method: RemovableMethod = APP, at = deps, administrator = administrators[0]) =>
    removeMethod({ ...at, upstream: { providers: [] } }, { administrator, id: anna.id }, method);

  /** Adds a security key or passkey of Anna. */
  async function putKey(id: string, isPasskey: boolean) {
    const { store, clock } = deps;
    await store.q.insert(store.t.webauthnCredentials).values({
      ...{ id, userId: anna.id, rpId: "login.office.example", name: id, isPasskey, createdAt: clock.now() },
      ...{ publicKeyBase64url: "k", algorithm: -7, counter: 0, attestationFormat: "none" },
      ...{ backupEligible: false, backedUp: false },
    });
  }

  // Proves requirement 225.
  it("refuses help for a new password after an administrator removed the last factor", async () => {
    expect(await remove()).toEqual({ kind: "done" });
    const until = new Date(deps.clock.now().getTime() + DAY_SECONDS * 1000);
    expect(await give("new-password")).toEqual({ kind: "refused", refusal: { kind: "other kind", until } });
    deps.clock.advance(DAY_SECONDS - 1);
    expect(await attempt("new-password")).toBe("other kind");
    deps.clock.advance(1);
    expect(await attempt("new-password")).toBe("given");
  });

  // Proves requirement 225.
  it("refuses to remove the last factor after help for a new password", async () => {
    expect(await attempt("new-password")).toBe("given");
    expect(await remove()).toMatchObject({ kind: "refused", code: "other help" });
    expect((await findFactors(deps.store, anna.id)).totp).toBe(true);
    deps.clock.advance(DAY_SECONDS);
    expect(await remove()).toEqual({ kind: "done" });
  });

  // Proves requirement 225.
  it("does not count a factor beside which another one is asked for", async () => {
    await putKey("key", false);
    expect(await attempt("new-password")).toBe("given");
    expect(await remove({ kind: "key", id: "key" })).toEqual({ kind: "done" });
    // The first removal ended the unused help, which opened nothing.
    expect(await remove()).toEqual({ kind: "done" });
  });

  // Proves requirement 225.
  it("counts the last factor of the second step although a passkey remains, and the last passkey", async () => {
    await putKey("passkey", true);
    expect(await attempt("new-password")).toBe("given");
    expect(await remove()).toMatchObject({ kind: "refused", code: "other help" });
    await deps.store.q.delete(deps.store.t.totpCredentials);
    expect(await remove({ kind: "key", id: "passkey" })).toMatchObject({ kind: "refused", code: "other help" });
    await putKey("second", true);
    expect(await remove({ kind: "key", id: "passkey" })).toEqual({ kind: "done" });
  });

  // Proves requirement 225.
  it.each<[string, () => Promise<unknown>, number]>([
    ["a link to a new password", () => createPasswordLink(deps, "anna"), HOUR_SECONDS],
    ["a password that is set", () => setUserPassword(deps, "anna", NEW), 0],
    ["an invitation to choose one, of a used account", () => inviteWithoutPassword(), 7 * DAY_SECONDS],
  ])("counts %s by a command, and ends open help", async (_what, command, seconds) => {
    const outcome = await give("new-device");
    const token = outcome.kind === "given" ? (new URL(outcome.help.url).searchParams.get("help_token") ?? "") : "";
    await command();
    expect(await resetFactorsByHelp(deps, { ...META, bearer: token, password: "x" })).toEqual({ kind: "error-token" });
    expect(await attempt("new-device")).toBe("other kind");
    expect(await remove()).toMatchObject({ kind: "refused", code: "other help" });
    deps.clock.advance(seconds + DAY_SECONDS);
    expect(await remove()).toEqual({ kind: "done" });
  });

  async function inviteWithoutPassword() {
    const { store, clock } = deps;
    const used = { passwordHash: null, lastSignedInAt: clock.now() };
    await store.q.update(store.t.users).set(used).where(eq(store.t.users.id, anna.id));
    return inviteUser(deps, "anna");
  }

  // Proves requirement 225.
  it("counts a link that removes the factors by a command", async () => {
    await createFactorResetLink(deps, "anna");
    expect(await attempt("new-password")).toBe("other kind");
    deps.clock.advance(HOUR_SECONDS + DAY_SECONDS);
    expect(await attempt("new-password")).toBe("given");
  });

  it("does not count the invitation to an account that was never used", async () => {
    const { id } = await addUser(deps, { username: "berta", displayName: "Berta", email: "berta@office.example" });
    await inviteUser(deps, "berta");
    await createPasswordLink(deps, "berta");
    expect(await deps.store.q.$count(deps.store.t.helpLinks)).toBe(0);
    expect(await findUser(deps.store, id)).toMatchObject({ passwordHash: null });
  });

  // Proves requirement 225.
  it("is given by one of two administrators who help at once in two processes, also by a removal", async () => {
    const [ada, bea] = administrators;
    const [removed, given] = await Promise.all([remove(APP, deps, ada), attempt("new-password", other, bea)]);
    const isRemoved = removed.kind === "done";
    expect([isRemoved, given]).toEqual(isRemoved ? [true, "other kind"] : [false, "given"]);
    expect((await findFactors(deps.store, anna.id)).totp).toBe(!isRemoved);
    const links = await deps.store.q.select().from(deps.store.t.helpLinks);
    expect(links.map(({ kind }) => kind)).toEqual([isRemoved ? "new-device" : "new-password"]);
  });

  // Proves requirement 225.
  it("is given by one of two administrators who give both kinds at once in two processes", async () => {
    const [ada, bea] = administrators;
    const kinds = await Promise.all([attempt("new-device", deps, ada), attempt("new-password", other, bea)]);
    expect(kinds.sort()).toEqual(["given", "other kind"]);
  });
});

import { describe, expect, it } from "vitest";
import { addExternalAccount } from "#app/db/repositories/external-accounts.server.ts";
import { findUser } from "#app/db/repositories/users.server.ts";
import { subjectOf } from "#app/domain/engine-session/subject.server.ts";
import { findPasswordReset, issueReportedResetLink, issueResetLink } from "#app/domain/password-reset/link.server.ts";
import { acknowledgePasswordReset, findPasswordResetNotice } from "#app/domain/password-reset/notice.server.ts";
import { RESET_LIMITS, requestPasswordReset } from "#app/domain/password-reset/request.server.ts";
import { resetPassword } from "#app/domain/password-reset/reset.server.ts";
import { blockUser } from "#app/domain/user/block.server.ts";
import { setUser } from "#app/domain/user/set.server.ts";
import { setUserPassword } from "#app/domain/user/set-password.server.ts";
import { type Dialect, dialects } from "#tests/support/databases.ts";
import { OTHER_PASSWORD, openedSettings } from "#tests/unit/domain/access/settings-fixtures.ts";
import { heldModels, isOpen, queuedMails, storedEvents } from "#tests/unit/domain/access/stored.ts";
import { putUser, REQUEST } from "#tests/unit/domain/fixtures.ts";

/** Anna is signed in and has forgotten her password; `reset` chooses a new one by a link. */
async function forgotten(dialect: Dialect) {
  const opened = await openedSettings(dialect);
  const { parts: deps, store, user } = opened;
  const request = (username: string, address = REQUEST.address) =>
    requestPasswordReset(deps, { ...REQUEST, username, address, signIn: null, pageLanguage: "en" });
  const tokenOf = ({ url }: { url: string }) => new URL(url).searchParams.get("reset_token") ?? "";
  const reset = (resetToken: string, password = OTHER_PASSWORD, repeat = password) =>
    resetPassword(deps, { resetToken, password, repeat, ...REQUEST });
  const reasons = () =>
    deps.lines.flatMap((line) => {
      const { event, reason } = JSON.parse(line);
      return event === "password-reset.refused" ? [reason] : [];
    });
  const mailed = async () => tokenOf(await issueResetLink(deps, user, { mailedTo: user.email }));
  return { ...opened, deps, request, reset, tokenOf, mailed, reasons, current: () => findUser(store, user.id) };
}

describe.each(dialects)("a requested password reset on %s", (dialect) => {
  it("mails a link to the user; unknown, blocked and unreachable users get none, with a reason in the log", async () => {
    const { deps, store, request, reasons } = await forgotten(dialect);
    await putUser(store, { username: "berta", email: "berta@office.example" });
    await blockUser(deps, "berta");
    await putUser(store, { username: "carla" });
    for (const username of ["ANNA", "nobody", "berta", "carla"]) await request(username);
    expect(await queuedMails(store)).toEqual(["password-reset"]);
    expect(reasons()).toEqual(["unknown user", "blocked", "no e-mail"]);
  });

  it("is limited per user and per address", async () => {
    const { store, request, reasons } = await forgotten(dialect);
    const { user, address } = RESET_LIMITS;
    for (let n = 0; n <= user.points; n += 1) await request("anna", `198.51.100.${n}`);
    expect([(await queuedMails(store)).length, reasons()]).toEqual([user.points, ["too many"]]);
    for (let n = 0; n <= address.points; n += 1) await request("nobody", "203.0.113.1");
    expect(reasons().slice(-2)).toEqual(["unknown user", "too many"]);
  });
});

describe.each(dialects)("a link to a new password on %s", (dialect) => {
  it("sets it, verifies the mailed address, ends all access and is reported by mail", async () => {
    const { store, access, user, mailed, reset, current, deps } = await forgotten(dialect);
    expect(await reset(await mailed())).toEqual({
      kind: "done",
      username: "anna",
      isFirst: false,
      opensSettings: false,
    });
    const passwordHash = `plain:${OTHER_PASSWORD}`;
    const passwordSetAt = deps.clock.now();
    expect(await current()).toMatchObject({ passwordHash, passwordSetAt, emailVerified: true });
    expect((await current())?.generation).toBeGreaterThan(user.generation);
    expect([await isOpen(store, access), await heldModels(store)]).toEqual([false, []]);
    expect(await queuedMails(store)).toEqual(["password-changed"]);
    expect(await storedEvents(store)).toEqual(["password-reset.done"]);
  });

  it("does not verify an address to which it was not mailed", async () => {
    const { deps, user, reset, tokenOf, current } = await forgotten(dialect);
    await reset(tokenOf(await issueResetLink(deps, user)));
    expect(await current()).toMatchObject({ emailVerified: false });
  });

  // Proves requirement 69.
  it("works once, also three times at the same time, and stays valid after a refused password", async () => {
    const { mailed, reset } = await forgotten(dialect);
    const token = await mailed();
    expect(await reset(token, "short")).toMatchObject({ kind: "refused" });
    expect(await reset(token, OTHER_PASSWORD, "another")).toMatchObject({ kind: "refused" });
    const kinds = (await Promise.all([reset(token), reset(token), reset(token)])).map(({ kind }) => kind);
    expect(kinds.sort()).toEqual(["done", "error-token", "error-token"]);
  });

  // Proves requirement 69.
  it("is invalid after an hour, a newer link, a block, another password and another address", async () => {
    const { deps, user, tokenOf, mailed, reset } = await forgotten(dialect);
    const refused = async (token: string) => {
      expect(await findPasswordReset(deps, token)).toBeNull();
      expect(await reset(token)).toEqual({ kind: "error-token" });
    };
    const older = await mailed();
    const expired = await mailed();
    await refused(older);
    deps.clock.advance(60 * 60 - 1);
    expect(await findPasswordReset(deps, expired)).not.toBeNull();
    deps.clock.advance(1);
    await refused(expired);
    const beforeChange = await mailed();
    await setUser(deps, "anna", { email: "new@office.example" });
    await refused(beforeChange);
    const beforePassword = tokenOf(await issueResetLink(deps, { ...user, generation: user.generation }));
    await setUserPassword(deps, "anna", OTHER_PASSWORD);
    await refused(beforePassword);
    await blockUser(deps, "anna");
    await refused(tokenOf(await issueReportedResetLink(deps, user)));
  });

  it("that reports a stranger survives changes by the stranger", async () => {
    const { deps, user, tokenOf, reset } = await forgotten(dialect);
    const token = tokenOf(await issueReportedResetLink(deps, user));
    await setUserPassword(deps, "anna", OTHER_PASSWORD);
    expect(await reset(token)).toMatchObject({ kind: "done" });
    expect(await reset(token)).toEqual({ kind: "error-token" });
  });

  it("leads to a notice at sign-ins through a provider, until the user has seen it", async () => {
    const { deps, user, mailed, reset, current, store } = await forgotten(dialect);
    await addExternalAccount(store, {
      ...{ id: "account", userId: user.id, provider: "google", issuer: "https://google.example", subject: "anna" },
      ...{ groupKey: "", linkedAt: user.createdAt, lastUsedAt: deps.clock.now() },
    });
    await reset(await mailed());
    const generation = (await current())?.generation ?? 0;
    const subject = { ...subjectOf(user, ["fed"]), generation };
    expect(await findPasswordResetNotice(deps, { ...subject, amr: ["pwd"] })).toBeNull();
    expect(await findPasswordResetNotice(deps, null)).toBeNull();
    expect(await findPasswordResetNotice(deps, subject)).toEqual(deps.clock.now());
    const seen = { ...REQUEST, clientId: null };
    await acknowledgePasswordReset(deps, subject, seen);
    await acknowledgePasswordReset(deps, subject, seen);
    expect(await findPasswordResetNotice(deps, subject)).toBeNull();
    expect((await storedEvents(store)).filter((type) => type === "password-reset.seen")).toHaveLength(1);
  });
});

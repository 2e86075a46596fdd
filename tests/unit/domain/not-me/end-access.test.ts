import { describe, expect, it } from "vitest";
import { findOneTimeToken } from "#app/db/repositories/one-time-tokens.server.ts";
import { findUser } from "#app/db/repositories/users.server.ts";
import { addWebauthnCredential, listWebauthnCredentials } from "#app/db/repositories/webauthn-credentials.server.ts";
import { issueNotMeLink, issueNotMeToken, NOT_ME_DAYS } from "#app/domain/mail/not-me-link.server.ts";
import { endAccessByLink, REPORT_LIMIT } from "#app/domain/not-me/end-access.server.ts";
import { hashToken } from "#app/domain/secret/token-hash.server.ts";
import { blockUser } from "#app/domain/user/block.server.ts";
import { DAY_SECONDS } from "#app/durations.ts";
import { type Dialect, dialects } from "#tests/support/databases.ts";
import { openedSettings, putToken } from "#tests/unit/domain/access/settings-fixtures.ts";
import { heldModels, isOpen, pendingKinds, queuedMails, storedEvents } from "#tests/unit/domain/access/stored.ts";
import { REQUEST } from "#tests/unit/domain/fixtures.ts";

/** Anna is signed in and has got a notice; `report` uses the link of a notice. */
async function noticed(dialect: Dialect) {
  const opened = await openedSettings(dialect);
  const { parts: deps, user } = opened;
  const issue = async () => new URL(await issueNotMeLink(deps, user.id)).searchParams.get("not_me_token") ?? "";
  const report = (notMeToken: string) => endAccessByLink(deps, { notMeToken, pageLanguage: "en", ...REQUEST });
  return { ...opened, deps, issue, report };
}

describe.each(dialects)("the link of a notice on %s", (dialect) => {
  it("ends sessions, tokens, other links and pending sign-ins, keeps the password, and mails a link to a new one", async () => {
    const { deps, store, user, access, issue, report } = await noticed(dialect);
    for (const kind of ["password-reset", "mfa-reset", "mfa", "totp-setup"] as const) await putToken(deps, user, kind);
    expect(await report(await issue())).toEqual({ kind: "done" });
    expect([await isOpen(store, access), await heldModels(store)]).toEqual([false, []]);
    // The used link and the new one.
    expect(await pendingKinds(store)).toEqual(["not-me", "not-me-reset"]);
    const { passwordHash, status } = user;
    expect(await findUser(store, user.id)).toMatchObject({ passwordHash, status, generation: user.generation + 1 });
    expect(await queuedMails(store)).toEqual(["password-reset"]);
    expect(await storedEvents(store)).toEqual(["session.ended", "password-reset.requested"]);
  });

  it("removes the passkeys of the last seven days, with which a stranger could sign in; keys and older ones stay", async () => {
    const { deps, store, user, issue, report } = await noticed(dialect);
    const now = deps.clock.now();
    const older = new Date(now.getTime() - (NOT_ME_DAYS * DAY_SECONDS + 1) * 1000);
    for (const [id, isPasskey, createdAt] of [
      ["old-passkey", true, older],
      ["new-passkey", true, now],
      ["new-key", false, now],
    ] as const) {
      const form = { rpId: "login.office.example", publicKeyBase64url: "A", algorithm: -7, attestationFormat: "none" };
      const flags = { counter: 0, backupEligible: false, backedUp: false };
      await addWebauthnCredential(store, { id, userId: user.id, name: id, isPasskey, createdAt, ...form, ...flags });
    }
    await report(await issue());
    expect((await listWebauthnCredentials(store, user.id)).map(({ id }) => id)).toEqual(["old-passkey", "new-key"]);
    expect(await storedEvents(store)).toEqual(["factor.removed", "session.ended", "password-reset.requested"]);
  });

  it("works once, also twice at the same time; the links of other notices still work", async () => {
    const { issue, report } = await noticed(dialect);
    const [token, other] = [await issue(), await issue()];
    const kinds = (await Promise.all([report(token), report(token)])).map(({ kind }) => kind).sort();
    expect(kinds).toEqual(["done", "error-token"]);
    expect(await report(other)).toEqual({ kind: "done" });
  });

  it.each([
    ["that is unknown", async () => {}],
    [
      "after seven days",
      async ({ deps }: Awaited<ReturnType<typeof noticed>>) => deps.clock.advance(NOT_ME_DAYS * DAY_SECONDS),
    ],
    ["of a blocked user", ({ deps }: Awaited<ReturnType<typeof noticed>>) => blockUser(deps, "anna")],
  ])("%s changes nothing", async (which, happen) => {
    const setting = await noticed(dialect);
    const token = await setting.issue();
    await happen(setting);
    const before = await findUser(setting.store, setting.user.id);
    expect(await setting.report(which === "that is unknown" ? "unknown" : token)).toEqual({ kind: "error-token" });
    expect(await findUser(setting.store, setting.user.id)).toEqual(before);
    expect(await queuedMails(setting.store)).toEqual([]);
  });

  it("always sends its mail, but a report from the settings only five times an hour", async () => {
    const { deps, store, user, issue, report } = await noticed(dialect);
    for (let times = 0; times < REPORT_LIMIT.points + 2; times += 1)
      expect(await report(await issueNotMeToken(deps, user.id))).toEqual({ kind: "done" });
    expect(await queuedMails(store)).toHaveLength(REPORT_LIMIT.points);
    await report(await issue());
    expect(await queuedMails(store)).toHaveLength(REPORT_LIMIT.points + 1);
  });

  it("is replaced by the next one from the settings, but not by that of a notice", async () => {
    const { deps, store, user, issue } = await noticed(dialect);
    const [older, ofNotice, newer] = [
      await issueNotMeToken(deps, user.id),
      await issue(),
      await issueNotMeToken(deps, user.id),
    ];
    const now = deps.clock.now();
    const isValid = async (token: string) =>
      (await findOneTimeToken(store, { kind: "not-me", tokenHash: hashToken(token), now })) !== null;
    expect([await isValid(older), await isValid(ofNotice), await isValid(newer)]).toEqual([false, true, true]);
  });
});

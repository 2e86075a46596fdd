import { describe, expect, it } from "vitest";
import { incrementGeneration } from "#app/db/repositories/user-generation.server.ts";
import { FRESH_PROOF_SECONDS } from "#app/domain/access/access.ts";
import { deliverDueMails } from "#app/domain/mail/deliver.server.ts";
import { issueNotMeLink } from "#app/domain/mail/not-me-link.server.ts";
import { issueReportedResetLink, issueResetLink } from "#app/domain/password-reset/link.server.ts";
import { confirmEmailChange } from "#app/domain/profile/confirm-email.server.ts";
import { EMAIL_CHANGE_HOURS } from "#app/domain/profile/link.server.ts";
import {
  EMAIL_CHANGE_LIMITS,
  findPendingEmail,
  requestEmailChange,
  withdrawEmailChange,
} from "#app/domain/profile/request-email.server.ts";
import { blockUser, unblockUser } from "#app/domain/user/block.server.ts";
import { removeUser } from "#app/domain/user/remove.server.ts";
import { setUser } from "#app/domain/user/set.server.ts";
import { HOUR_SECONDS } from "#app/durations.ts";
import { dialects, withTwoStores } from "#tests/support/databases.ts";
import { limitsInManual } from "#tests/support/security-manual.ts";
import { METADATA, openSettings } from "#tests/unit/domain/access/settings-fixtures.ts";
import { isOpen, pendingKinds, storedEvents } from "#tests/unit/domain/access/stored.ts";
import { installation, putUser, REQUEST } from "#tests/unit/domain/fixtures.ts";
import {
  addressOf,
  allowAll,
  annaInSettings,
  mailsIn,
  NEW,
  OLD,
  sentTo,
  stepsOf,
  tokensIn,
} from "./profile-fixtures.ts";

const INVALID = { kind: "error-token" };

describe.each(dialects)("a new e-mail address on %s", (dialect) => {
  // Proves requirement 191.
  it("counts only after its link was confirmed; the old one gets a notice, and sessions stay", async () => {
    const { store, access, user, stored, request, confirm } = await annaInSettings(dialect);
    expect(await request(` ${NEW.toUpperCase()} `)).toEqual({ kind: "done" });
    expect(await stored()).toMatchObject({ email: OLD, emailVerified: true, updatedAt: user.updatedAt });
    expect(await confirm()).toEqual({ kind: "done" });
    const email = NEW.toUpperCase();
    expect(addressOf(await stored())).toEqual({ email, emailCanonical: NEW, emailVerified: true });
    expect((await stored()).updatedAt).not.toEqual(user.updatedAt);
    expect(await isOpen(store, access)).toBe(true);
    expect(await sentTo(store)).toEqual([`email-change to ${email}`, `email-changed to ${OLD}`]);
    expect(await storedEvents(store)).toEqual(["email-change.requested", "email-change.done"]);
  });

  // Proves requirement 191.
  it("invalidates the links that were mailed to the old one, as an administrator's change does", async () => {
    const { parts, store, user, request, confirm } = await annaInSettings(dialect);
    await issueResetLink(parts, user, { mailedTo: OLD });
    await issueReportedResetLink(parts, user);
    await issueNotMeLink(parts, user.id);
    await request(NEW);
    expect(await confirm()).toEqual({ kind: "done" });
    expect(await pendingKinds(store)).toEqual(["email-change-undo"]);
  });

  // Proves requirement 191.
  it("is confirmed once by two processes at the same moment", async () => {
    const [store, otherStore] = await withTwoStores(dialect);
    const [first, second] = [allowAll(installation(store)), allowAll(installation(otherStore))];
    const anna = await putUser(store, { username: "anna", email: OLD, emailVerified: true });
    const { request, stored } = stepsOf(first, anna.id);
    await request(NEW);
    const [{ token: changeToken } = { token: "" }] = await tokensIn(store, "change_token");
    second.clock.advance(1);
    const outcomes = await Promise.all(
      [first, second, first, second].map((parts) => confirmEmailChange(parts, { changeToken, ...REQUEST })),
    );
    expect(outcomes.map(({ kind }) => kind).sort()).toEqual(["done", "error-token", "error-token", "error-token"]);
    expect((await stored()).email).toBe(NEW);
    expect(await sentTo(store)).toEqual([`email-change to ${NEW}`, `email-changed to ${OLD}`]);
  });

  // Proves requirement 192.
  it("goes to one of two users who confirm it in two processes at the same moment", async () => {
    const [store, otherStore] = await withTwoStores(dialect);
    const [first, second] = [allowAll(installation(store)), allowAll(installation(otherStore))];
    const anna = await putUser(store, { username: "anna", email: OLD, emailVerified: true });
    const bernd = await putUser(store, { username: "bernd", email: "bernd@office.example", emailVerified: true });
    await stepsOf(first, anna.id).request(NEW);
    await stepsOf(second, bernd.id).request(NEW);
    const tokens = await tokensIn(store, "change_token");
    const outcomes = await Promise.all(
      [first, second].map((parts, index) =>
        confirmEmailChange(parts, { changeToken: tokens[index]?.token ?? "", ...REQUEST }),
      ),
    );
    expect(outcomes.map(({ kind }) => kind).sort()).toEqual(["done", "taken"]);
  });

  // Proves requirement 192.
  it("that belongs to another user, or is a user name, looks like a free one to the user who asks for it", async () => {
    const { parts, store, access, user, stored, request } = await annaInSettings(dialect);
    await putUser(store, { username: "bernd", email: "Bernd@office.example" });
    await putUser(store, { username: "carla@office.example" });
    for (const taken of ["bernd@OFFICE.example", "carla@office.example"]) {
      expect(await request(taken)).toEqual({ kind: "done" });
      expect(await findPendingEmail(parts, access)).toMatchObject({ email: taken });
      const mail = (await mailsIn(store)).at(-1);
      expect([mail?.kind, mail?.to]).toEqual(["email-change-refused", taken]);
      expect(mail?.text).not.toMatch(/token=|anna/i);
    }
    expect(addressOf(await stored())).toEqual(addressOf(user));
    expect(await storedEvents(store)).toEqual(["email-change.requested", "email-change.requested"]);
  });

  // Proves requirement 192.
  it("is not stored if it belongs to another user when it is confirmed", async () => {
    const { store, stored, request, confirm } = await annaInSettings(dialect);
    await request(NEW);
    await putUser(store, { username: "bernd", email: NEW, emailVerified: true });
    expect(await confirm()).toEqual({ kind: "taken" });
    expect(await stored()).toMatchObject({ email: OLD });
    expect(await sentTo(store)).toEqual([`email-change to ${NEW}`]);
  });

  // Proves requirement 191.
  it("of a newer request replaces the older one, whose link ends", async () => {
    const { parts, store, access, stored, request, confirm } = await annaInSettings(dialect);
    await request("typo@office.example");
    await request(NEW);
    expect(await findPendingEmail(parts, access)).toMatchObject({ email: NEW });
    const [older, newer] = await tokensIn(store, "change_token");
    expect(await confirm(older?.token)).toEqual(INVALID);
    expect(await confirm(newer?.token)).toEqual({ kind: "done" });
    expect(await confirm(newer?.token)).toEqual(INVALID);
    expect((await stored()).email).toBe(NEW);
  });

  it("is withdrawn: its link ends, and an unsent mail is not sent", async () => {
    const { parts, store, access, stored, request, confirm } = await annaInSettings(dialect);
    await request(NEW);
    expect(await withdrawEmailChange(parts, access, METADATA)).toEqual({ kind: "done" });
    expect(await withdrawEmailChange(parts, access, METADATA)).toEqual({ kind: "done" });
    expect(await findPendingEmail(parts, access)).toBeNull();
    expect(await confirm()).toEqual(INVALID);
    const sent: string[] = [];
    const transport = { send: async ({ subject }: { subject: string }) => void sent.push(subject), close() {} };
    expect(await deliverDueMails({ ...parts, transport })).toBe(0);
    expect(sent).toEqual([]);
    expect((await stored()).email).toBe(OLD);
    expect(await storedEvents(store)).toEqual(["email-change.requested", "email-change.withdrawn"]);
  });

  // Proves requirement 191.
  it.each(["blocks", "blocks and unblocks", "removes"])(
    "cannot be confirmed after an administrator %s the user",
    async (what) => {
      const { parts, store, user, request, confirm } = await annaInSettings(dialect);
      await request(NEW);
      const [link] = await tokensIn(store, "change_token");
      if (what === "removes") await removeUser(parts, user.username);
      else await blockUser(parts, user.username);
      if (what === "blocks and unblocks") await unblockUser(parts, user.username);
      expect(await confirm(link?.token)).toEqual(INVALID);
      const { q, t } = store;
      expect((await q.select({ email: t.users.email }).from(t.users)).every(({ email }) => email !== NEW)).toBe(true);
    },
  );

  // Proves requirement 191.
  it("cannot be confirmed after the password or anything else raised the generation", async () => {
    const { parts, store, access, user, stored, request, confirm } = await annaInSettings(dialect);
    await request(NEW);
    await incrementGeneration(store, user.id, { expected: user.generation, now: parts.clock.now() });
    expect(await findPendingEmail(parts, access)).toBeNull();
    expect(await confirm()).toEqual(INVALID);
    expect((await stored()).email).toBe(OLD);
  });

  // Proves requirement 191.
  it("cannot be confirmed after an administrator stored another one", async () => {
    const { parts, user, stored, request, confirm } = await annaInSettings(dialect);
    await request(NEW);
    await setUser(parts, user.username, { email: "office@office.example" });
    expect(await confirm()).toEqual(INVALID);
    expect(addressOf(await stored())).toMatchObject({ email: "office@office.example", emailVerified: false });
  });

  it("is the first one of a user who had none: no notice is sent", async () => {
    const { store, stored, request, confirm } = await annaInSettings(dialect, { email: null, emailVerified: false });
    await request(NEW);
    expect(await confirm()).toEqual({ kind: "done" });
    expect(addressOf(await stored())).toMatchObject({ email: NEW, emailVerified: true });
    expect(await sentTo(store)).toEqual([`email-change to ${NEW}`]);
  });

  it("may be the present one if it is not verified: it is verified, without a notice", async () => {
    const { store, stored, request, confirm } = await annaInSettings(dialect, { emailVerified: false });
    await request(OLD);
    expect(await confirm()).toEqual({ kind: "done" });
    expect(addressOf(await stored())).toMatchObject({ email: OLD, emailVerified: true });
    expect(await sentTo(store)).toEqual([`email-change to ${OLD}`]);
  });
});

describe("a new e-mail address", () => {
  it("that is empty, invalid or the present one is refused", async () => {
    const { parts, store, request } = await annaInSettings("sqlite");
    const refused = async (email: string) => (await request(email)) as { code?: string };
    expect(await refused(" \u200b ")).toMatchObject({ code: "email is empty" });
    for (const email of [
      "anna",
      "anna@localhost",
      "a b@office.example",
      "Anna <anna@office.example>",
      "a@b.example\nBcc: x@y.example",
      "x".repeat(255),
    ])
      expect(await refused(email)).toMatchObject({ code: "email is invalid" });
    expect(await refused(OLD)).toMatchObject({ code: "email is unchanged" });
    expect(await sentTo(parts.store)).toEqual([]);
    expect(await pendingKinds(store)).toEqual([]);
  });

  it("has a domain with umlauts in its ASCII form", async () => {
    const { stored, changeTo } = await annaInSettings("sqlite");
    await changeTo("anna@müller.example");
    expect(addressOf(await stored())).toMatchObject({ email: "anna@xn--mller-kva.example" });
  });

  it("needs a recent proof of identity, and live settings", async () => {
    const { parts, store, user, access } = await annaInSettings("sqlite");
    const input = { ...METADATA, email: NEW, pageLanguage: "en" };
    const stale = { ...access, generation: access.generation - 1 };
    expect(await requestEmailChange(parts, stale, input)).toEqual({ kind: "unauthorized" });
    parts.clock.advance(FRESH_PROOF_SECONDS + 1);
    expect(await requestEmailChange(parts, access, input)).toEqual({ kind: "reauthentication_required" });
    expect(await withdrawEmailChange(parts, access, METADATA)).toEqual({ kind: "reauthentication_required" });
    const fresh = await openSettings(parts, user);
    await blockUser(parts, user.username);
    expect(await requestEmailChange(parts, fresh, input)).toEqual({ kind: "unauthorized" });
    expect(await sentTo(store)).toEqual([]);
  });

  // Proves requirement 191.
  it("expires after the hours that the manual promises", async () => {
    const { parts, access, request, confirm, stored } = await annaInSettings("sqlite");
    await request(NEW);
    parts.clock.advance(EMAIL_CHANGE_HOURS * HOUR_SECONDS - 1);
    expect(await findPendingEmail(parts, access)).not.toBeNull();
    parts.clock.advance(1);
    expect(await findPendingEmail(parts, access)).toBeNull();
    expect(await confirm()).toEqual(INVALID);
    expect((await stored()).email).toBe(OLD);
  });

  it("cannot be confirmed when users may no longer change their address", async () => {
    const { parts, store, request } = await annaInSettings("sqlite");
    await request(NEW);
    const [{ token: changeToken } = { token: "" }] = await tokensIn(store, "change_token");
    const off = { ...parts, config: { ...parts.config, profileChanges: ["name" as const] } };
    expect(await confirmEmailChange(off, { changeToken, ...REQUEST })).toEqual(INVALID);
  });

  // Proves requirement 192.
  it("is mailed as often as the manual says, whether it is taken or free", async () => {
    const { user: limit, address } = EMAIL_CHANGE_LIMITS;
    expect(limitsInManual("mails to new addresses").map(({ points }) => points)).toEqual([
      limit.points,
      address.points,
    ]);
    const { store, request } = await annaInSettings("sqlite");
    await putUser(store, { username: "bernd", email: "bernd@office.example" });
    for (let n = 0; n < limit.points; n += 1)
      expect(await request(n % 2 === 0 ? "bernd@office.example" : NEW)).toEqual({ kind: "done" });
    expect(await request(NEW)).toMatchObject({ kind: "throttled", retryAfterSeconds: expect.any(Number) });
    expect(await request("bernd@office.example")).toMatchObject({ kind: "throttled" });
    expect(await sentTo(store)).toHaveLength(limit.points);
  });

  it("is mailed from one network to few addresses, whichever users ask", async () => {
    const { parts, store } = await annaInSettings("sqlite");
    const { points } = EMAIL_CHANGE_LIMITS.address;
    const kinds = new Set<string>();
    for (let n = 0; n <= points; n += 1) {
      const user = await putUser(store, { username: `user.${n}` });
      const input = { ...METADATA, email: `new-${n}@office.example`, pageLanguage: "en" };
      kinds.add((await requestEmailChange(parts, await openSettings(parts, user), input)).kind);
    }
    expect([...kinds]).toEqual(["done", "throttled"]);
    expect(await sentTo(store)).toHaveLength(points);
  });

  // Proves requirement 191.
  it("is no link of another kind, and no other link confirms it", async () => {
    const { parts, store, user, request, confirm, undo } = await annaInSettings("sqlite");
    await request(NEW);
    const [change] = await tokensIn(store, "change_token");
    expect(await undo(change?.token)).toEqual(INVALID);
    const reset = new URL((await issueResetLink(parts, user)).url).searchParams.get("reset_token") ?? "";
    expect(await confirm(reset)).toEqual(INVALID);
    expect(await undo(reset)).toEqual(INVALID);
    expect(await confirm()).toEqual({ kind: "done" });
  });

  // Proves requirement 192.
  it("is mailed without names of the account, which are the text of the user who asks", async () => {
    const { store, request } = await annaInSettings("sqlite", { displayName: "Visit spam.example now" });
    await request("stranger@other.example");
    const [mail] = await mailsIn(store);
    expect(mail?.text).not.toMatch(/spam|anna/i);
  });
});

import { describe, expect, it } from "vitest";
import { appendAuditEvent } from "#app/db/repositories/audit-events.server.ts";
import { incrementGeneration } from "#app/db/repositories/user-generation.server.ts";
import { findPasswordReset } from "#app/domain/password-reset/link.server.ts";
import { EMAIL_UNDO_DAYS } from "#app/domain/profile/link.server.ts";
import { undoEmailChange } from "#app/domain/profile/undo-email.server.ts";
import { blockUser, unblockUser } from "#app/domain/user/block.server.ts";
import { setUser } from "#app/domain/user/set.server.ts";
import { DAY_SECONDS } from "#app/durations.ts";
import { dialects, withTwoStores } from "#tests/support/databases.ts";
import { putSession } from "#tests/unit/domain/access/settings-fixtures.ts";
import { heldModels, isOpen, pendingKinds, storedEvents } from "#tests/unit/domain/access/stored.ts";
import { installation, putUser, REQUEST } from "#tests/unit/domain/fixtures.ts";
import { addressOf, allowAll, annaInSettings, NEW, OLD, sentTo, stepsOf, tokensIn } from "./profile-fixtures.ts";

const INVALID = { kind: "error-token" };
const DONE = { kind: "done" };
const THIEF = "thief@other.example";

describe.each(dialects)("the undo link of a new e-mail address on %s", (dialect) => {
  // Proves requirement 193.
  it("restores the old one, ends all access, and mails it a link to a new password", async () => {
    const { parts, store, access, user, stored, changeTo, undo } = await annaInSettings(dialect);
    await changeTo(THIEF);
    await putSession(parts, await stored(), "session of the thief");
    expect(await undo()).toEqual(DONE);
    expect(addressOf(await stored())).toEqual(addressOf(user));
    expect(await isOpen(store, access)).toBe(false);
    expect(await heldModels(store)).toEqual([]);
    expect(await pendingKinds(store)).toEqual(["not-me-reset"]);
    expect((await sentTo(store)).at(-1)).toBe(`password-reset to ${OLD}`);
    const [reset] = await tokensIn(store, "reset_token");
    expect(await findPasswordReset(parts, reset?.token ?? "")).toMatchObject({ mailedTo: OLD });
    expect((await storedEvents(store)).slice(2)).toEqual([
      "email-change.undone",
      "session.ended",
      "password-reset.requested",
    ]);
  });

  it("restores an address that was not verified as such", async () => {
    const { stored, changeTo, undo } = await annaInSettings(dialect, { emailVerified: false });
    await changeTo(NEW);
    expect(await undo()).toEqual(DONE);
    expect(addressOf(await stored())).toEqual({ email: OLD, emailCanonical: OLD, emailVerified: false });
  });

  it("does not verify an address that is the name of another user meanwhile", async () => {
    const { store, stored, changeTo, undo } = await annaInSettings(dialect);
    await changeTo(NEW);
    await putUser(store, { username: OLD });
    expect(await undo()).toEqual(DONE);
    expect(addressOf(await stored())).toMatchObject({ email: OLD, emailVerified: false });
  });

  // Proves requirement 193.
  it("works after further changes of the address, password or factors, which may be an attacker's", async () => {
    const { parts, store, user, stored, changeTo, undo } = await annaInSettings(dialect);
    await changeTo(THIEF);
    await changeTo("thief.2@other.example");
    const { generation } = await stored();
    await incrementGeneration(store, user.id, { expected: generation, now: parts.clock.now() });
    const [first, second] = await tokensIn(store, "undo_token");
    expect([first?.to, second?.to]).toEqual([OLD, THIEF]);
    expect(await undo(first?.token)).toEqual(DONE);
    expect((await stored()).email).toBe(OLD);
    // The link to the attacker's own address ends with it.
    expect(await undo(second?.token)).toEqual(INVALID);
    expect((await stored()).email).toBe(OLD);
  });

  // Proves requirement 193.
  it("of a later change leaves that of an earlier one valid", async () => {
    const { store, stored, changeTo, undo } = await annaInSettings(dialect);
    await changeTo(THIEF);
    await changeTo("thief.2@other.example");
    const [first, second] = await tokensIn(store, "undo_token");
    expect(await undo(second?.token)).toEqual(DONE);
    expect((await stored()).email).toBe(THIEF);
    expect(await undo(first?.token)).toEqual(DONE);
    expect((await stored()).email).toBe(OLD);
  });

  it("ends a pending change, too", async () => {
    const { store, stored, changeTo, request, confirm, undo } = await annaInSettings(dialect);
    await changeTo(THIEF);
    await request("thief.2@other.example");
    const pending = (await tokensIn(store, "change_token")).at(-1);
    expect(await undo()).toEqual(DONE);
    expect(await confirm(pending?.token)).toEqual(INVALID);
    expect((await stored()).email).toBe(OLD);
  });

  // Proves requirement 193.
  it("is single-use, in two processes at the same moment", async () => {
    const [store, otherStore] = await withTwoStores(dialect);
    const [first, second] = [allowAll(installation(store)), allowAll(installation(otherStore))];
    const anna = await putUser(store, { username: "anna", email: OLD, emailVerified: true });
    await stepsOf(first, anna.id).changeTo(NEW);
    const [{ token: undoToken } = { token: "" }] = await tokensIn(store, "undo_token");
    const input = { undoToken, pageLanguage: "en", ...REQUEST };
    const outcomes = await Promise.all([first, second, first, second].map((parts) => undoEmailChange(parts, input)));
    expect(outcomes.map(({ kind }) => kind).sort()).toEqual(["done", "error-token", "error-token", "error-token"]);
    expect(await tokensIn(store, "reset_token")).toHaveLength(1);
  });

  // Proves requirement 193.
  it("ends with an address that the administrator stores", async () => {
    const { parts, user, stored, changeTo, undo } = await annaInSettings(dialect);
    await changeTo(NEW);
    await setUser(parts, user.username, { email: "office@office.example" });
    expect(await undo()).toEqual(INVALID);
    expect((await stored()).email).toBe("office@office.example");
  });

  // Proves requirement 193.
  it("ends with a block, and stays so after the unblock", async () => {
    const { parts, user, stored, changeTo, undo } = await annaInSettings(dialect);
    await changeTo(NEW);
    await blockUser(parts, user.username);
    expect(await undo()).toEqual(INVALID);
    await unblockUser(parts, user.username);
    expect(await undo()).toEqual(INVALID);
    expect((await stored()).email).toBe(NEW);
  });

  it("expires after the days that the manual promises", async () => {
    const { parts, stored, changeTo, undo } = await annaInSettings(dialect);
    await changeTo(NEW);
    parts.clock.advance(EMAIL_UNDO_DAYS * DAY_SECONDS);
    expect(await undo()).toEqual(INVALID);
    expect((await stored()).email).toBe(NEW);
  });

  // Proves requirement 193.
  it("is not mailed to an address that was registered and never confirmed, which may be a stranger's", async () => {
    const fields = { emailVerified: false, passwordHash: null, passwordSetAt: null };
    const { parts, store, user, changeTo } = await annaInSettings(dialect, fields);
    const event = {
      type: "registration.completed",
      outcome: "ok",
      userId: user.id,
      clientId: null,
      address: null,
    } as const;
    await store.tx((tx) => appendAuditEvent(tx, { ...event, at: parts.clock.now(), requestId: null, detail: {} }));
    expect(await changeTo(NEW)).toEqual(DONE);
    expect(await sentTo(store)).toEqual([`email-change to ${NEW}`]);
    expect(await tokensIn(store, "undo_token")).toEqual([]);
  });
});

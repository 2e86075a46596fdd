import { describe, expect, it } from "vitest";
import { appendAuditEvent } from "#app/db/repositories/audit-events.server.ts";
import { findUserByUsername } from "#app/db/repositories/users.server.ts";
import { INVITATION_MINUTES, issueResetLink } from "#app/domain/password-reset/link.server.ts";
import { resetPassword } from "#app/domain/password-reset/reset.server.ts";
import { findEmailChange, issueEmailChange } from "#app/domain/profile/link.server.ts";
import { addUser } from "#app/domain/user/add.server.ts";
import { applyImport } from "#app/domain/user/import/apply.server.ts";
import { planImport } from "#app/domain/user/import/plan.server.ts";
import { changeUser, setUser } from "#app/domain/user/set.server.ts";
import { dialects, withStore } from "#tests/support/databases.ts";
import { installation, putUser } from "#tests/unit/domain/fixtures.ts";
import { mailsIn, NEW, OLD, sentTo } from "#tests/unit/domain/profile/profile-fixtures.ts";

const PASSWORD = "Ledger-Window-27-Oak";

async function anna(dialect: (typeof dialects)[number]) {
  const store = await withStore(dialect);
  await putUser(store, { username: "anna", email: OLD, emailVerified: true });
  return { store, context: installation(store) };
}

describe.each(dialects)("an e-mail address that an administrator replaces on %s", (dialect) => {
  // Proves requirement 224.
  it("gets a notice without a link, which names the administration to ask", async () => {
    const { store, context } = await anna(dialect);
    await setUser(context, "anna", { email: NEW });
    expect(await sentTo(store)).toEqual([`email-replaced to ${OLD}`]);
    const [mail] = await mailsIn(store);
    expect(mail?.text).toContain("Your administrator changed the e-mail address of anna.");
    expect(mail?.text).toContain("please ask your administrator");
    expect(mail?.text).not.toMatch(/token=/);
    expect(mail?.text).not.toContain(NEW);
  });

  // Proves requirement 224.
  it("gets one when it is removed, too, and none when it stays, or only its spelling changes", async () => {
    const { store, context } = await anna(dialect);
    await setUser(context, "anna", { email: OLD, phone: "1" });
    await setUser(context, "anna", { email: OLD.toUpperCase() });
    expect(await sentTo(store)).toEqual([]);
    await setUser(context, "anna", { email: null });
    expect(await sentTo(store)).toEqual([`email-replaced to ${OLD.toUpperCase()}`]);
    await setUser(context, "anna", { email: NEW });
    expect(await sentTo(store)).toHaveLength(1);
  });

  it("stays verified, with its links, if only its spelling changes, also by an import", async () => {
    const { store, context } = await anna(dialect);
    const user = await putUser(store, { username: "bernd", email: "bernd@office.example" });
    const token = (link: string, name: string) => new URL(link).searchParams.get(name) ?? "";
    const links = { ...context, config: { ...context.config, profileChanges: ["email" as const] } };
    const change = await issueEmailChange(links, user, "bernd.vogel@office.example");
    const invitation = await issueResetLink(context, user, { mailedTo: user.email, minutes: INVITATION_MINUTES });
    const raw = [
      { line: 2, fields: { username: "anna", display_name: "anna", email: OLD.toUpperCase() } },
      { line: 3, fields: { username: "bernd", display_name: "bernd", email: "Bernd@Office.example" } },
    ];
    const { rows } = await planImport(context, raw, { onConflict: "update" });
    expect(await applyImport(context, rows)).toMatchObject({ updated: 2 });
    expect(await findUserByUsername(store, "anna")).toMatchObject({ email: OLD.toUpperCase(), emailVerified: true });
    expect(await findEmailChange(links, token(change.url, "change_token"))).not.toBeNull();
    const input = { resetToken: token(invitation.url, "reset_token"), password: PASSWORD, repeat: PASSWORD };
    const reset = await resetPassword(context, { ...input, address: "192.0.2.1", userAgent: "", requestId: "r" });
    expect(reset).toMatchObject({ kind: "done" });
    expect(await findUserByUsername(store, "bernd")).toMatchObject({
      email: "Bernd@Office.example",
      emailVerified: true,
    });
  });

  // Proves requirement 224.
  it("gets one from an import, for each changed address", async () => {
    const { store, context } = await anna(dialect);
    await putUser(store, { username: "bernd", email: "bernd@office.example" });
    const raw = [
      { line: 2, fields: { username: "anna", display_name: "Anna", email: NEW } },
      { line: 3, fields: { username: "bernd", display_name: "Bernd Vogel", email: "bernd@office.example" } },
    ];
    const { rows } = await planImport(context, raw, { onConflict: "update" });
    expect(await applyImport(context, rows)).toMatchObject({ updated: 2 });
    expect(await sentTo(store)).toEqual([`email-replaced to ${OLD}`]);
  });

  // Proves requirement 224.
  it("gets none if the change is rolled back", async () => {
    const { store, context } = await anna(dialect);
    const change = store.tx(async (tx) => {
      await changeUser({ ...context, store: tx }, "anna", { email: NEW });
      throw new Error("the transaction fails");
    });
    await expect(change).rejects.toThrow("the transaction fails");
    expect(await sentTo(store)).toEqual([]);
  });

  // Proves requirement 224.
  it("gets none if it may be a stranger's: a client registered it, and its link was never used", async () => {
    const { store, context } = await anna(dialect);
    const { id: userId } = await addUser(context, {
      username: "carla",
      displayName: "Carla",
      email: "carla@office.example",
    });
    const event = { type: "registration.completed", outcome: "ok", userId, clientId: null, address: null } as const;
    await store.tx((tx) => appendAuditEvent(tx, { ...event, at: context.clock.now(), requestId: null, detail: {} }));
    await setUser(context, "carla", { email: "carla.new@office.example" });
    expect(await sentTo(store)).toEqual([]);
  });
});

import { describe, expect, it } from "vitest";
import { appendAuditEvent } from "#app/db/repositories/audit-events.server.ts";
import { addUser } from "#app/domain/user/add.server.ts";
import { applyImport } from "#app/domain/user/import/apply.server.ts";
import { planImport } from "#app/domain/user/import/plan.server.ts";
import { changeUser, setUser } from "#app/domain/user/set.server.ts";
import { dialects, withStore } from "#tests/support/databases.ts";
import { installation, putUser } from "#tests/unit/domain/fixtures.ts";
import { mailsIn, NEW, OLD, sentTo } from "#tests/unit/domain/profile/profile-fixtures.ts";

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

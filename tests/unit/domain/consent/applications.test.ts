import { isNull } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { createClient } from "#app/db/repositories/clients.server.ts";
import { findConsent, saveConsent } from "#app/db/repositories/consents.server.ts";
import { saveRecord } from "#app/db/repositories/oidc-records.server.ts";
import { listOwnConsents } from "#app/domain/consent/list.server.ts";
import { CONSENT_DAYS } from "#app/domain/consent/remembered.server.ts";
import { withdrawConsent } from "#app/domain/consent/withdraw.server.ts";
import { DAY_SECONDS } from "#app/durations.ts";
import { type Dialect, dialects } from "#tests/support/databases.ts";
import { METADATA, openedSettings, openSettings } from "#tests/unit/domain/access/settings-fixtures.ts";
import { isOpen, storedEvents } from "#tests/unit/domain/access/stored.ts";
import { putUser } from "#tests/unit/domain/fixtures.ts";

/** Anna and Berta have both consented to two applications. */
async function openSettingsWithClient(dialect: Dialect) {
  const opened = await openedSettings(dialect);
  const { parts: deps, store, user } = opened;
  const at = deps.clock.now();
  const fields = { authMethod: "none", createdAt: at, updatedAt: at } as const;
  for (const [id, name] of [
    ["suite", "Suite"],
    ["maps", "Maps"],
  ] as const)
    await createClient(store, { id, name, ...fields });
  const berta = await openSettings(deps, await putUser(store, { username: "berta" }));
  for (const userId of [user.id, berta.userId])
    for (const clientId of ["suite", "maps"])
      await saveConsent(store, { userId, clientId, scopes: ["openid", "email"], claims: [], grantedAt: at });
  return { ...opened, berta, at };
}

describe.each(dialects)("the applications that a user allowed on %s", (dialect) => {
  it("are listed with scopes and date while the consent is remembered or a grant exists", async () => {
    const { parts: deps, store, user, access, at } = await openSettingsWithClient(dialect);
    const allowed = { scopes: ["openid", "email"], since: at };
    const listed = await listOwnConsents(deps, access);
    expect(listed).toHaveLength(2);
    expect(listed).toContainEqual({ clientId: "suite", name: "Suite", ...allowed });
    deps.clock.advance((CONSENT_DAYS + 1) * DAY_SECONDS);
    const expiresAt = new Date(deps.clock.now().getTime() + 1000);
    const grant = { accountId: user.id, clientId: "maps", payload: {}, expiresAt };
    await saveRecord(store, { model: "Grant", id: "good still", ...grant });
    expect(await listOwnConsents(deps, access)).toEqual([{ clientId: "maps", name: "Maps", ...allowed }]);
  });

  // Proves requirement 99.
  it("lose all access at once when the consent is withdrawn; others keep it", async () => {
    const { parts: deps, store, user, access, berta } = await openSettingsWithClient(dialect);
    const fields = { accountId: user.id, payload: {} };
    await saveRecord(store, { model: "RefreshToken", id: "of maps", clientId: "maps", ...fields });
    expect(await withdrawConsent(deps, access, { ...METADATA, clientId: "suite" })).toEqual({ kind: "done" });
    expect(await findConsent(store, user.id, "suite")).toBeNull();
    expect(await listOwnConsents(deps, access)).toMatchObject([{ clientId: "maps" }]);
    expect(await listOwnConsents(deps, berta)).toHaveLength(2);
    const { oidcRecords } = store.t;
    const rows = await store.q
      .select({ model: oidcRecords.model, user: oidcRecords.accountId })
      .from(oidcRecords)
      .where(isNull(oidcRecords.destroyedAt));
    const ofAnna = rows.filter((row) => row.user === user.id).map(({ model }) => model);
    expect(ofAnna.sort()).toEqual(["RefreshToken", "Session"]);
    expect(rows.filter((row) => row.user === berta.userId)).toHaveLength(4);
    expect(await isOpen(store, access)).toBe(true);
    const events = await store.q.select().from(store.t.auditEvents);
    expect(events).toMatchObject([{ type: "consent.withdrawn", clientId: "suite", userId: user.id }]);
  });

  it("are withdrawn once, and not after the access to the settings ended", async () => {
    const { parts: deps, store, access } = await openSettingsWithClient(dialect);
    const none = { kind: "consent not found" };
    expect(await withdrawConsent(deps, access, { ...METADATA, clientId: "nobody" })).toEqual(none);
    expect(await withdrawConsent(deps, access, { ...METADATA, clientId: "a\0b" })).toEqual(none);
    const twice = [1, 2].map(() => withdrawConsent(deps, access, { ...METADATA, clientId: "suite" }));
    expect((await Promise.all(twice)).map(({ kind }) => kind).sort()).toEqual(["consent not found", "done"]);
    const stale = { ...access, generation: access.generation - 1 };
    expect(await withdrawConsent(deps, stale, { ...METADATA, clientId: "maps" })).toEqual({ kind: "unauthorized" });
    expect(await listOwnConsents(deps, access)).toHaveLength(1);
    expect(await storedEvents(store)).toEqual(["consent.withdrawn"]);
  });
});

import { describe, expect, it } from "vitest";
import { FRESH_PROOF_SECONDS } from "#app/domain/access/access.ts";
import { createOwnRecoveryCodes } from "#app/domain/recovery-code/own-codes.server.ts";
import { blockUser } from "#app/domain/user/block.server.ts";
import { type Dialect, dialects } from "#tests/support/databases.ts";
import { METADATA, openedSettings, openSettings } from "#tests/unit/domain/access/settings-fixtures.ts";
import { isOpen, queuedMails, storedEvents } from "#tests/unit/domain/access/stored.ts";
import { putUserWithApp, verifyInNewSignIn } from "#tests/unit/domain/second-factor/sign-in-fixtures.ts";

/** Opens the settings of a user with an authenticator app and an e-mail address. */
async function settings(dialect: Dialect) {
  const opened = await openedSettings(dialect);
  const { parts: deps, store } = opened;
  const { user } = await putUserWithApp(deps, "berta");
  await store.q.update(store.t.users).set({ email: "berta@office.example" });
  return { parts: deps, store, user, access: await openSettings(deps, user), withoutFactor: opened.access };
}

describe.each(dialects)("recovery codes in the settings on %s", (dialect) => {
  // Proves requirement 23.
  it("replace the older ones, end no session, and are reported by mail", async () => {
    const { parts: deps, store, user, access } = await settings(dialect);
    const older = await createOwnRecoveryCodes(deps, access, METADATA);
    const newer = await createOwnRecoveryCodes(deps, access, METADATA);
    if (older.kind !== "made" || newer.kind !== "made") throw new Error("no codes were made");
    expect(new Set([...older.codes, ...newer.codes]).size).toBe(20);
    expect(await verifyInNewSignIn(deps, user, older.codes[0] ?? "")).toMatchObject({
      kind: "refused",
      reason: "wrong",
    });
    expect(await verifyInNewSignIn(deps, user, newer.codes[0] ?? "")).toMatchObject({ kind: "verified" });
    expect(await isOpen(store, access)).toBe(true);
    expect(await queuedMails(store)).toEqual(["recovery-code-used", "recovery-codes-made", "recovery-codes-made"]);
    expect((await storedEvents(store)).slice(0, 2)).toEqual(["recovery-codes.made", "recovery-codes.made"]);
  });

  it("are not created if the account changed while they were hashed", async () => {
    const { parts: deps, store, user, access } = await settings(dialect);
    const hasher = {
      ...deps.hasher,
      async hash(code: string) {
        await blockUser(deps, user.username);
        return deps.hasher.hash(code);
      },
    };
    expect(await createOwnRecoveryCodes({ ...deps, hasher }, access, METADATA)).toEqual({ kind: "unauthorized" });
    expect(await store.q.$count(store.t.recoveryCodes)).toBe(0);
    expect(await queuedMails(store)).toEqual([]);
  });
});

describe("recovery codes in the settings", () => {
  // Proves requirement 54.
  it("require a second factor and a recent proof of identity", async () => {
    const { parts: deps, access, withoutFactor } = await settings("sqlite");
    expect(await createOwnRecoveryCodes(deps, withoutFactor, METADATA)).toEqual({ kind: "no factor" });
    deps.clock.advance(FRESH_PROOF_SECONDS + 1);
    const old = { kind: "reauthentication_required" };
    expect(await createOwnRecoveryCodes(deps, access, METADATA)).toEqual(old);
  });
});

import { describe, expect, it } from "vitest";
import { FRESH_PROOF_SECONDS } from "#app/domain/settings/access.ts";
import { makeOwnRecoveryCodes } from "#app/domain/settings/recovery-codes.server.ts";
import { blockUser } from "#app/domain/user/block.server.ts";
import { type Dialect, dialects } from "#tests/support/databases.ts";
import { answerTo, putAppOwner } from "#tests/unit/domain/second-factor/second-step.ts";
import { FACTS, isOpen, openedSettings, openSettings, queuedMails, storedEvents } from "./opened.ts";

/** Opens the settings of a user with an authenticator app and an e-mail address. */
async function settings(dialect: Dialect) {
  const opened = await openedSettings(dialect);
  const { parts, store } = opened;
  const { user } = await putAppOwner(parts, "berta");
  await store.q.update(store.t.users).set({ email: "berta@office.example" });
  return { parts, store, user, access: await openSettings(parts, user), withoutFactor: opened.access };
}

describe.each(dialects)("recovery codes in the settings on %s", (dialect) => {
  it("take the place of the older ones, end no session, and are told by mail", async () => {
    const { parts, store, user, access } = await settings(dialect);
    const older = await makeOwnRecoveryCodes(parts, access, FACTS);
    const newer = await makeOwnRecoveryCodes(parts, access, FACTS);
    if (older.kind !== "made" || newer.kind !== "made") throw new Error("no codes were made");
    expect(new Set([...older.codes, ...newer.codes]).size).toBe(20);
    expect(await answerTo(parts, user, older.codes[0] ?? "")).toMatchObject({ kind: "refused", reason: "wrong" });
    expect(await answerTo(parts, user, newer.codes[0] ?? "")).toMatchObject({ kind: "verified" });
    expect(await isOpen(store, access)).toBe(true);
    expect(await queuedMails(store)).toEqual(["recovery-codes-made", "recovery-codes-made", "recovery-code-used"]);
    expect((await storedEvents(store)).slice(0, 2)).toEqual(["recovery-codes.made", "recovery-codes.made"]);
  });

  it("are made for nobody whose account was taken back while they were hashed", async () => {
    const { parts, store, user, access } = await settings(dialect);
    const hasher = {
      ...parts.hasher,
      async hash(code: string) {
        await blockUser(parts, user.username);
        return parts.hasher.hash(code);
      },
    };
    expect(await makeOwnRecoveryCodes({ ...parts, hasher }, access, FACTS)).toEqual({ kind: "unauthorized" });
    expect(await store.q.$count(store.t.recoveryCodes)).toBe(0);
    expect(await queuedMails(store)).toEqual([]);
  });
});

describe("recovery codes in the settings", () => {
  it("need a factor that they stand in for, and a fresh proof", async () => {
    const { parts, access, withoutFactor } = await settings("sqlite");
    expect(await makeOwnRecoveryCodes(parts, withoutFactor, FACTS)).toEqual({ kind: "no factor" });
    parts.clock.advance(FRESH_PROOF_SECONDS + 1);
    const old = { kind: "reauthentication_required" };
    expect(await makeOwnRecoveryCodes(parts, access, FACTS)).toEqual(old);
  });
});

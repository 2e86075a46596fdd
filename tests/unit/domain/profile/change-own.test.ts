import { describe, expect, it } from "vitest";
import { FRESH_PROOF_SECONDS } from "#app/domain/access/access.ts";
import { changeName, changePhone } from "#app/domain/profile/change-own.server.ts";
import { blockUser } from "#app/domain/user/block.server.ts";
import { dialects } from "#tests/support/databases.ts";
import { METADATA } from "#tests/unit/domain/access/settings-fixtures.ts";
import { isOpen, queuedMails, storedEvents } from "#tests/unit/domain/access/stored.ts";
import { annaInSettings } from "./profile-fixtures.ts";

const NAMES = { displayName: "Anna Berg", givenName: "Anna", familyName: "Berg" };

function typed(names: Partial<typeof NAMES> = {}) {
  return { ...METADATA, ...NAMES, ...names };
}

describe.each(dialects)("the own name and telephone number on %s", (dialect) => {
  it("are stored trimmed, with the time of the change; sessions stay, and no mail is sent", async () => {
    const { parts, store, access, stored } = await annaInSettings(dialect);
    parts.clock.advance(60);
    const names = typed({ displayName: " Anna\u200b Berg ", givenName: " Anna " });
    expect(await changeName(parts, access, names)).toEqual({ kind: "done" });
    expect(await stored()).toMatchObject({ ...NAMES, updatedAt: parts.clock.now() });
    expect(await changePhone(parts, access, { ...METADATA, phone: " +49 30 1234 " })).toEqual({ kind: "done" });
    expect((await stored()).phone).toBe("+49 30 1234");
    expect(await isOpen(store, access)).toBe(true);
    expect(await queuedMails(store)).toEqual([]);
    expect(await storedEvents(store)).toEqual(["profile.changed", "profile.changed"]);
  });

  // Proves requirement 190.
  it("change nothing after a block, in settings of an earlier generation, and without a recent proof", async () => {
    const { parts, user, access, stored } = await annaInSettings(dialect, { phone: "030 1" });
    const old = { ...access, generation: access.generation - 1 };
    expect(await changeName(parts, old, typed())).toEqual({ kind: "unauthorized" });
    parts.clock.advance(FRESH_PROOF_SECONDS + 1);
    expect(await changeName(parts, access, typed())).toEqual({ kind: "reauthentication_required" });
    expect(await changePhone(parts, access, { ...METADATA, phone: "" })).toEqual({ kind: "reauthentication_required" });
    await blockUser(parts, user.username);
    const fresh = { ...access, authTime: parts.clock.now() };
    expect(await changePhone(parts, fresh, { ...METADATA, phone: "" })).toEqual({ kind: "unauthorized" });
    expect(await stored()).toMatchObject({ displayName: user.displayName, phone: "030 1" });
  });
});

describe("the own name", () => {
  it.each([
    [{ displayName: "  " }, { displayName: "name is empty" }],
    [
      { displayName: "a\nb", givenName: "x".repeat(201) },
      { displayName: "name is invalid", givenName: "name is invalid" },
    ],
    [{ familyName: "a\u0000" }, { familyName: "name is invalid" }],
  ])("%j is refused, each field for itself", async (names, problems) => {
    const { parts, access, user, stored } = await annaInSettings("sqlite");
    expect(await changeName(parts, access, typed(names))).toEqual({ kind: "refused", problems });
    expect(await stored()).toEqual(user);
  });

  it("may be without given and family name, which are removed", async () => {
    const { parts, access, stored } = await annaInSettings("sqlite", { givenName: "Anna", familyName: "Berg" });
    await changeName(parts, access, typed({ givenName: "", familyName: " " }));
    expect(await stored()).toMatchObject({ givenName: null, familyName: null });
  });
});

describe("the own telephone number", () => {
  it("is removed if it is empty, and refused if it is too long or has a line break", async () => {
    const { parts, access, stored } = await annaInSettings("sqlite", { phone: "030 1" });
    for (const phone of ["1".repeat(51), "030\n1"])
      expect(await changePhone(parts, access, { ...METADATA, phone })).toMatchObject({ code: "phone is invalid" });
    expect((await stored()).phone).toBe("030 1");
    expect(await changePhone(parts, access, { ...METADATA, phone: " " })).toEqual({ kind: "done" });
    expect((await stored()).phone).toBeNull();
  });
});

import { describe, expect, it } from "vitest";
import { allows, covers, mayChange } from "#app/domain/administration/administrator.ts";
import { findAdministration, storeOf } from "#app/domain/administration/find.server.ts";
import { grantRole, revokeRole } from "#app/domain/role/grant.server.ts";
import { addUser } from "#app/domain/user/add.server.ts";
import { blockUser, unblockUser } from "#app/domain/user/block.server.ts";
import { dialects, withStore } from "#tests/support/databases.ts";
import { installation } from "#tests/unit/domain/fixtures.ts";

class Ended extends Error {}

function end(): never {
  throw new Ended();
}

describe.each(dialects)("an administrator's store on %s", (dialect) => {
  // Proves requirement 206.
  it("names the administrator in each event, and refuses a transaction once the role or the account ended", async () => {
    const context = installation(await withStore(dialect));
    const { store } = context;
    const [anna, bert] = [
      await addUser(context, { username: "anna", displayName: "Anna" }),
      await addUser(context, { username: "bert", displayName: "Bert" }),
    ];
    for (const user of [anna, bert]) {
      await store.tx((tx) => grantRole({ ...context, store: tx }, user, { role: "administrator", office: null }));
    }
    await addUser(context, { username: "carl", displayName: "Carl" });
    const administrator = {
      userId: anna.id,
      username: "anna",
      generation: 1,
      role: "administrator",
      officeId: null,
    } as const;
    const acting = { ...context, store: storeOf(store, administrator, end) };
    await blockUser(acting, "carl");
    const events = await store.q.select().from(store.t.auditEvents).orderBy(store.t.auditEvents.sequence);
    expect(events.map(({ actorId }) => actorId).filter((actor) => actor !== null)).toEqual([anna.id]);
    expect(events.at(-1)).toMatchObject({ type: "user.blocked", actorId: anna.id, detail: { actor: "anna" } });
    await store.tx((tx) => revokeRole({ ...context, store: tx }, anna));
    await expect(unblockUser(acting, "carl")).rejects.toBeInstanceOf(Ended);
    await store.tx((tx) => grantRole({ ...context, store: tx }, anna, { role: "administrator", office: null }));
    await unblockUser(acting, "carl");
    await blockUser(context, "anna");
    await expect(blockUser(acting, "carl")).rejects.toBeInstanceOf(Ended);
  });

  // Proves requirement 201.
  it("is given to a role alone, with two factors and a proof of at most eight hours", async () => {
    const context = installation(await withStore(dialect));
    const { store, clock } = context;
    const anna = await addUser(context, { username: "anna", displayName: "Anna" });
    const access = {
      userId: anna.id,
      generation: 1,
      authTime: clock.now(),
      sessionUid: null,
      clientId: null,
      returnToUrl: null,
      holder: { kind: "page", pageSessionHash: "h" },
    } as unknown as Parameters<typeof findAdministration>[1];
    expect(await findAdministration(context, access)).toEqual({ kind: "none" });
    await store.tx((tx) => grantRole({ ...context, store: tx }, anna, { role: "help-desk", office: null }));
    expect(await findAdministration(context, access)).toEqual({ kind: "one factor" });
  });
});

describe("a help desk", () => {
  const helpDesk = { userId: "h", role: "help-desk", officeId: "kiel" } as const;

  it("helps people, and changes neither groups nor roles", () => {
    expect(allows(helpDesk, "help people")).toBe(true);
    expect(
      ["manage groups", "manage roles", "edit people", "read activity"].some((one) => allows(helpDesk, one as never)),
    ).toBe(false);
  });

  it("of one office covers its people, changes none of a higher rank, and not itself", () => {
    const person = { id: "p", groupId: "kiel" };
    expect([
      covers(helpDesk, person),
      covers(helpDesk, { groupId: "köln" }),
      covers(helpDesk, { groupId: null }),
    ]).toEqual([true, false, false]);
    expect(mayChange(helpDesk, person, null)).toBe(true);
    expect(mayChange(helpDesk, person, { role: "help-desk", officeId: null })).toBe(false);
    expect(mayChange(helpDesk, { ...person, id: "h" }, null)).toBe(false);
    expect(mayChange(helpDesk, { ...person, groupId: "köln" }, null)).toBe(false);
  });
});

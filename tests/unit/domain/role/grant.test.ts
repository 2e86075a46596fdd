import { describe, expect, it } from "vitest";
import { findUserRole } from "#app/db/repositories/user-roles.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { hasCode } from "#app/domain/base/errors.ts";
import { addGroup } from "#app/domain/group/add.server.ts";
import { grantRole, listRoles, revokeRole } from "#app/domain/role/grant.server.ts";
import { rankOf } from "#app/domain/role/role.ts";
import { isSecondFactorRequired } from "#app/domain/sign-in-policy/sign-in-policy.server.ts";
import { addUser } from "#app/domain/user/add.server.ts";
import { blockUser } from "#app/domain/user/block.server.ts";
import { removeUser } from "#app/domain/user/remove.server.ts";
import { dialects, withStore } from "#tests/support/databases.ts";
import { installation } from "#tests/unit/domain/fixtures.ts";

async function office(store: Store) {
  const context = installation(store);
  const add = (username: string) => addUser(context, { username, displayName: username });
  const [anna, bert] = [await add("anna"), await add("bert")];
  const inTransaction = (work: (tx: typeof context) => Promise<unknown>) =>
    store.tx((tx) => work({ ...context, store: tx }));
  return {
    context,
    anna,
    bert,
    group: await addGroup(context, { name: "Kiel" }),
    grant: (user: typeof anna, input: Parameters<typeof grantRole>[2]) =>
      inTransaction((tx) => grantRole(tx, user, input)),
    revoke: (user: typeof anna) => inTransaction((tx) => revokeRole(tx, user)),
  };
}

const ADMINISTRATOR = { role: "administrator", office: null } as const;

describe.each(dialects)("roles on %s", (dialect) => {
  it("are given once, changed, listed by user name, and require a second factor", async () => {
    const { context, anna, bert, group, grant } = await office(await withStore(dialect));
    expect(await isSecondFactorRequired(context, bert)).toBe(false);
    await grant(bert, { role: "help-desk", office: group });
    await grant(anna, ADMINISTRATOR);
    await grant(anna, ADMINISTRATOR);
    const roles = await listRoles(context);
    expect(roles.map(({ username, role, office }) => [username, role, office])).toEqual([
      ["anna", "administrator", null],
      ["bert", "help-desk", "Kiel"],
    ]);
    expect(await isSecondFactorRequired(context, bert)).toBe(true);
    const { auditEvents } = context.store.t;
    const events = await context.store.q.select().from(auditEvents).orderBy(auditEvents.sequence);
    expect(events.filter(({ type }) => type === "role.granted")).toHaveLength(2);
  });

  it("are refused for an administrator of one office, and for a user without one", async () => {
    const { bert, group, grant, revoke } = await office(await withStore(dialect));
    const refused = grant(bert, { role: "administrator", office: group });
    await expect(refused).rejects.toSatisfy((error) => hasCode(error, "role is invalid"));
    await expect(revoke(bert)).rejects.toSatisfy((error) => hasCode(error, "role not found"));
  });

  // Proves requirement 207.
  it("keep the last active administrator, whatever would end it", async () => {
    const { context, anna, bert, grant, revoke } = await office(await withStore(dialect));
    await grant(anna, ADMINISTRATOR);
    await grant(bert, { role: "help-desk", office: null });
    const endings = () => [
      () => revoke(anna),
      () => grant(anna, { role: "help-desk", office: null }),
      () => blockUser(context, "anna"),
      () => removeUser(context, "anna"),
    ];
    for (const end of endings()) {
      await expect(end()).rejects.toSatisfy((error) => hasCode(error, "last administrator"));
    }
    await grant(bert, ADMINISTRATOR);
    await blockUser(context, "bert");
    for (const end of endings()) {
      await expect(end()).rejects.toSatisfy((error) => hasCode(error, "last administrator"));
    }
    expect((await findUserRole(context.store, anna.id))?.role).toBe("administrator");
  });

  it("end for one of two administrators who take each other's role at the same moment", async () => {
    const { context, anna, bert, grant, revoke } = await office(await withStore(dialect));
    await grant(anna, ADMINISTRATOR);
    await grant(bert, ADMINISTRATOR);
    const ended = await Promise.allSettled([revoke(anna), revoke(bert)]);
    expect(ended.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    expect(await listRoles(context)).toHaveLength(1);
  });
});

it("a rank is higher for more people, and highest for an administrator", () => {
  const roles = [null, { role: "help-desk", officeId: "k" }, { role: "help-desk", officeId: null }] as const;
  expect([...roles, { role: "administrator", officeId: null } as const].map(rankOf)).toEqual([0, 1, 2, 3]);
});

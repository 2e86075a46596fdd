import { describe, expect, test } from "vitest";
import { listDefaultGroups } from "#app/db/repositories/group-members.server.ts";
import { findUserRole } from "#app/db/repositories/user-roles.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { grantRoleByName } from "#app/domain/administrator/roles.server.ts";
import { lastAuditEvents } from "#app/domain/audit-trail/read.server.ts";
import { addGroup } from "#app/domain/group/add.server.ts";
import { MAX_DEFAULT_GROUPS } from "#app/domain/group/membership.server.ts";
import { removeGroup } from "#app/domain/group/remove.server.ts";
import { whenWaiting } from "#tests/http/oidc/lock-wait.ts";
import { beforeEachCommit, type Dialect, dialects, withTwoStores } from "#tests/support/databases.ts";
import { type Installation, installation, putUser } from "#tests/unit/domain/fixtures.ts";

/** Two processes of one database with a user and an office. */
async function twoProcesses(dialect: Dialect) {
  const [store, otherStore] = await withTwoStores(dialect);
  const [first, second] = [installation(store), installation(otherStore)];
  await addGroup(first, { name: "North" });
  const anna = await putUser(store, { username: "anna" });
  return { first, second, anna };
}

/** Runs `earlier` with a context whose transaction is committed when `later` waits for it. Returns the result of `later`. */
async function atOnce(first: Installation, earlier: (context: Installation) => unknown, later: () => Promise<unknown>) {
  let result: Promise<unknown> | undefined;
  const store: Store = beforeEachCommit(first.store, async (tx) => {
    result = later().catch((error: unknown) => error);
    await whenWaiting(tx);
  });
  await earlier({ ...first, store });
  return result;
}

const HELP_DESK = { role: "help-desk", office: "North" } as const;

describe.each(dialects)("two changes of groups at the same moment, at two processes on %s", (dialect) => {
  test("record that a help desk loses the role that it got while its office was removed", async () => {
    const { first, second, anna } = await twoProcesses(dialect);
    await atOnce(
      first,
      (context) => grantRoleByName(context, "anna", HELP_DESK),
      () => removeGroup(second, "North", { endMemberships: true }),
    );
    const types = (await lastAuditEvents(first, {}, 3)).map(({ type }) => type);
    expect(types).toEqual(["role.granted", "role.revoked", "group.removed"]);
    expect(await findUserRole(first.store, anna.id)).toBeNull();
  });

  test("refuse a role for an office that is being removed", async () => {
    const { first, second, anna } = await twoProcesses(dialect);
    const later = await atOnce(
      first,
      (context) => removeGroup(context, "North"),
      () => grantRoleByName(second, "anna", HELP_DESK),
    );
    expect(later).toMatchObject({ code: "group not found" });
    expect(await findUserRole(first.store, anna.id)).toBeNull();
  });

  test("add no more default groups than allowed", async () => {
    const { first, second } = await twoProcesses(dialect);
    for (let number = 2; number <= MAX_DEFAULT_GROUPS; number += 1) {
      await addGroup(first, { name: `Default ${number}`, isDefault: true });
    }
    const later = await atOnce(
      first,
      (context) => addGroup(context, { name: "Choir", isDefault: true }),
      () => addGroup(second, { name: "Team", isDefault: true }),
    );
    expect(later).toMatchObject({ code: "too many groups" });
    expect(await listDefaultGroups(first.store)).toHaveLength(MAX_DEFAULT_GROUPS);
  });
});

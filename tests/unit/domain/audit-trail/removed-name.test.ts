import { expect, test } from "vitest";
import { resolveTrail } from "#app/domain/audit-trail/trail.server.ts";
import { addUser } from "#app/domain/user/add.server.ts";
import { removeUser } from "#app/domain/user/remove.server.ts";
import { dialects, withStore } from "#tests/support/databases.ts";
import { installation } from "#tests/unit/domain/fixtures.ts";

test.each(dialects)("a removed user is found by the user name in any case, with umlauts, on %s", async (dialect) => {
  const context = installation(await withStore(dialect));
  const { id } = await addUser(context, { username: "Ärmel", displayName: "Anna" });
  await removeUser(context, "ärmel");
  const query = { actor: null, kind: null, clientId: null, since: null, until: null };
  for (const person of ["Ärmel", "ärmel", "ÄRMEL"]) {
    expect(await resolveTrail(context, { ...query, person })).toEqual({ kind: "filter", filter: { userIds: [id] } });
  }
});

import { describe, expect, it } from "vitest";
import { hasCode } from "#app/domain/errors.ts";
import { addGroup } from "#app/domain/group/add.server.ts";
import { listGroups } from "#app/domain/group/list.server.ts";
import { dialects, withStore } from "#tests/support/databases.ts";
import { keptLog, random, standingClock } from "#tests/unit/domain/parts.ts";

describe.each(dialects)("groups on %s", (dialect) => {
  it("are added once under one name, and listed by name", async () => {
    const context = { store: await withStore(dialect), clock: standingClock(), random, log: keptLog().log };
    await addGroup(context, { name: "Staff" });
    await addGroup(context, { name: " Board ", requireMfa: true });
    await expect(addGroup(context, { name: "Staff" })).rejects.toSatisfy((e) => hasCode(e, "group not available"));
    await expect(addGroup(context, { name: " " })).rejects.toSatisfy((e) => hasCode(e, "group is invalid"));
    expect((await listGroups(context)).map(({ name, requireMfa }) => [name, requireMfa])).toEqual([
      ["Board", true],
      ["Staff", false],
    ]);
  });
});

import { describe, expect, it } from "vitest";
import { DomainError, hasCode } from "#app/domain/base/errors.ts";
import { addGroup } from "#app/domain/group/add.server.ts";
import { listGroups } from "#app/domain/group/list.server.ts";
import { setGroup } from "#app/domain/group/set.server.ts";
import { dialects, withStore } from "#tests/support/databases.ts";
import { fixedClock, random, recordingLog } from "#tests/unit/domain/fixtures.ts";

describe.each(dialects)("groups on %s", (dialect) => {
  it("are added once per name, and listed by name", async () => {
    const context = { store: await withStore(dialect), clock: fixedClock(), random, log: recordingLog().log };
    await addGroup(context, { name: "Staff" });
    await addGroup(context, { name: " Board ", requireMfa: true });
    await expect(addGroup(context, { name: "Staff" })).rejects.toSatisfy((e) => hasCode(e, "group not available"));
    await expect(addGroup(context, { name: " " })).rejects.toSatisfy((e) => hasCode(e, "group is invalid"));
    expect((await listGroups(context)).map(({ name, requireMfa }) => [name, requireMfa])).toEqual([
      ["Board", true],
      ["Staff", false],
    ]);
  });

  it("are changed in the given fields, under a free name, and the audit trail describes the change", async () => {
    const { log, lines } = recordingLog();
    const context = { store: await withStore(dialect), clock: fixedClock(), random, log };
    const { id } = await addGroup(context, { name: "Staff" });
    await addGroup(context, { name: "Board" });
    expect(await setGroup(context, "Staff", { requireMfa: true })).toMatchObject({
      id,
      name: "Staff",
      requireMfa: true,
    });
    expect(await setGroup(context, "Staff", { name: " Office " })).toMatchObject({ name: "Office", requireMfa: true });
    // No change, and no event.
    expect(await setGroup(context, "Office", { name: "Office", contact: null })).toMatchObject({ name: "Office" });
    const refusals = [
      setGroup(context, "Staff", { requireMfa: false }),
      setGroup(context, "Office", { name: "Board" }),
      setGroup(context, "Office", {}),
    ];
    const codes = (await Promise.allSettled(refusals)).map((one) =>
      one.status === "rejected" && one.reason instanceof DomainError ? one.reason.code : null,
    );
    expect(codes).toEqual(["group not found", "group not available", "group is invalid"]);
    const logged = lines.map((line) => JSON.parse(line)).filter(({ event }) => event === "group.changed");
    expect(logged.map(({ reason }) => reason)).toEqual([
      "Staff: second factor required",
      "Staff -> Office: second factor required",
    ]);
    const { auditEvents } = context.store.t;
    const stored = await context.store.q.select().from(auditEvents).orderBy(auditEvents.sequence);
    expect(stored.map(({ type }) => type)).toEqual(["group.added", "group.added", "group.changed", "group.changed"]);
  });
});

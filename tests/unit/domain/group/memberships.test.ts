import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { replaceGroupsOfClient } from "#app/db/repositories/client-access.server.ts";
import { updateClient } from "#app/db/repositories/clients.server.ts";
import { saveRecord } from "#app/db/repositories/oidc-records.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { DomainError } from "#app/domain/base/errors.ts";
import { addClient } from "#app/domain/client/add.server.ts";
import { addGroup } from "#app/domain/group/add.server.ts";
import { listGroups, showGroup } from "#app/domain/group/list.server.ts";
import { MAX_DEFAULT_GROUPS, MAX_FURTHER_GROUPS } from "#app/domain/group/membership.server.ts";
import { removeGroup } from "#app/domain/group/remove.server.ts";
import { setGroup } from "#app/domain/group/set.server.ts";
import { addUser, prepareUser, storeUser } from "#app/domain/user/add.server.ts";
import { setUser } from "#app/domain/user/set.server.ts";
import { showUser } from "#app/domain/user/show.server.ts";
import { whenWaiting } from "#tests/http/oidc/lock-wait.ts";
import { beforeEachCommit, dialects, withStore, withTwoStores } from "#tests/support/databases.ts";
import { holdCalls, installation } from "#tests/unit/domain/fixtures.ts";

type Context = ReturnType<typeof installation>;

const COMPOSED = "B\u00fcro M\u00fcnchen";
const DECOMPOSED = "Bu\u0308ro Mu\u0308nchen";

async function withGroups(store: Store, ...names: string[]): Promise<Context> {
  const context = installation(store);
  for (const name of names) await addGroup(context, { name });
  return context;
}

async function withAnna(store: Store, ...groups: string[]): Promise<Context> {
  const context = await withGroups(store, "North", "South", "Team", "Choir", ...groups);
  await addUser(context, { username: "anna", displayName: "Anna", groupName: "North", furtherGroups: ["Team"] });
  return context;
}

const groupsOfAnna = async (context: Context) => {
  const { group, furtherGroups } = await showUser(context, "anna");
  return [group, ...furtherGroups];
};

/** Resolves to the code of the refusal. */
async function refusalOf(work: Promise<unknown>): Promise<string> {
  const error = await work.then(
    () => null,
    (reason: unknown) => reason,
  );
  if (!(error instanceof DomainError)) throw new Error(`expected a refusal, got ${String(error)}`);
  return error.code;
}

async function eventsOf({ store }: Context) {
  const { auditEvents } = store.t;
  const stored = await store.q.select().from(auditEvents).orderBy(auditEvents.sequence);
  return stored.map(({ type, detail }) => [type, detail["username"], detail["reason"]]);
}

describe.each(dialects)("further groups on %s", (dialect) => {
  it("are added and removed, once each, and each change is recorded with the group's name and id", async () => {
    const context = await withAnna(await withStore(dialect));
    const before = (await eventsOf(context)).length;
    const { user: changed } = await setUser(context, "anna", { addGroups: ["Choir", "Choir"], removeGroups: ["Team"] });
    expect([changed.group, changed.furtherGroups]).toEqual(["North", ["Choir"]]);
    await setUser(context, "anna", { addGroups: ["Choir"], removeGroups: ["Team"] });
    expect((await eventsOf(context)).slice(before)).toEqual([
      ["group.member-removed", "anna", "Team"],
      ["group.member-added", "anna", "Choir"],
    ]);
    const { auditEvents } = context.store.t;
    const { id } = await showGroup(context, "Choir");
    const stored = await context.store.q.select().from(auditEvents).orderBy(auditEvents.sequence);
    expect(stored.at(-1)?.detail).toMatchObject({ groupId: id });
  });

  it("do not contain the home group: adding it changes nothing, and removing it is refused", async () => {
    const context = await withAnna(await withStore(dialect));
    const { user, isChanged } = await setUser(context, "anna", { addGroups: ["North"] });
    expect([user.furtherGroups, isChanged]).toEqual([["Team"], false]);
    expect(await refusalOf(setUser(context, "anna", { removeGroups: ["North"] }))).toBe("home group");
    await setUser(context, "anna", { groupName: "Team" });
    expect(await groupsOfAnna(context)).toEqual(["Team"]);
    await setUser(context, "anna", { groupName: "South" });
    expect(await groupsOfAnna(context)).toEqual(["South"]);
  });

  it.each([
    ["group not found", { addGroups: ["Choir", "Nowhere"] }],
    ["group not found", { phone: "1", removeGroups: ["Nowhere"] }],
    ["group not found", { addGroups: ["a\0b"] }],
    ["user is invalid", { addGroups: ["Choir"], removeGroups: ["Choir"] }],
    ["home group", { addGroups: ["Choir"], removeGroups: ["Team", "North"] }],
  ])("stay as they are after %s: %j", async (code, changes) => {
    const context = await withAnna(await withStore(dialect));
    const events = await eventsOf(context);
    expect(await refusalOf(setUser(context, "anna", changes))).toBe(code);
    expect(await groupsOfAnna(context)).toEqual(["North", "Team"]);
    expect(await eventsOf(context)).toEqual(events);
  });

  it("are the default groups of a new user, and those that are named, without the home group", async () => {
    const context = await withGroups(await withStore(dialect), "Team", "Choir");
    for (const name of ["Staff", "North"]) await addGroup(context, { name, isDefault: true });
    await addUser(context, { username: "anna", displayName: "Anna", groupName: "North", furtherGroups: ["Team"] });
    expect(await groupsOfAnna(context)).toEqual(["North", "Staff", "Team"]);
    await setGroup(context, "Choir", { isDefault: true });
    expect(await groupsOfAnna(context)).toEqual(["North", "Staff", "Team"]);
    await setGroup(context, "Staff", { isDefault: false });
    const bernd = await addUser(context, { username: "bernd", displayName: "Bernd" });
    expect([bernd.group, bernd.furtherGroups]).toEqual([null, ["Choir", "North"]]);
  });

  it("can be named in any Unicode form, and two forms of a name are one name", async () => {
    const context = await withAnna(await withStore(dialect), DECOMPOSED, "North, East; West");
    expect(await refusalOf(addGroup(context, { name: COMPOSED }))).toBe("group not available");
    await setUser(context, "anna", { addGroups: [DECOMPOSED, "North, East; West"] });
    expect((await groupsOfAnna(context)).toSorted()).toEqual([COMPOSED, "North", "North, East; West", "Team"]);
    await setUser(context, "anna", { removeGroups: [COMPOSED] });
    expect(await groupsOfAnna(context)).not.toContain(COMPOSED);
  });

  it(`are at most ${MAX_FURTHER_GROUPS}, also after two administrators at once`, async () => {
    const [store, other] = await withTwoStores(dialect);
    const context = await withAnna(store);
    const names = Array.from({ length: MAX_FURTHER_GROUPS }, (_, number) => `Group ${number}`);
    for (const name of names) await addGroup(context, { name });
    expect(await refusalOf(setUser(context, "anna", { addGroups: names }))).toBe("too many groups");
    const input = { username: "bernd", displayName: "Bernd", furtherGroups: [...names, "Team"] };
    expect(await refusalOf(addUser(context, input))).toBe("too many groups");
    expect(await groupsOfAnna(context)).toEqual(["North", "Team"]);
    const results = await Promise.allSettled([
      setUser(context, "anna", { addGroups: names.slice(0, 60) }),
      setUser({ ...context, store: other }, "anna", { addGroups: names.slice(-60) }),
    ]);
    expect(results.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
    expect(await groupsOfAnna(context)).toHaveLength(62);
    await setUser(context, "anna", { removeGroups: ["Team"], addGroups: names });
    expect(await groupsOfAnna(context)).toHaveLength(MAX_FURTHER_GROUPS + 1);
  });

  it(`can be default groups up to ${MAX_DEFAULT_GROUPS}`, async () => {
    const context = await withGroups(await withStore(dialect), "Last");
    for (let number = 0; number < MAX_DEFAULT_GROUPS; number += 1) {
      await addGroup(context, { name: `Group ${number}`, isDefault: true });
    }
    expect(await refusalOf(addGroup(context, { name: "More", isDefault: true }))).toBe("too many groups");
    expect(await refusalOf(setGroup(context, "Last", { isDefault: true }))).toBe("too many groups");
    await setGroup(context, "Group 0", { isDefault: true, description: "First" });
    expect((await listGroups(context)).filter(({ isDefault }) => isDefault)).toHaveLength(MAX_DEFAULT_GROUPS);
  });

  it("change together: of two administrators who change the home group and the groups, none is lost", async () => {
    const [store, other] = await withTwoStores(dialect);
    const context = await withAnna(store);
    await Promise.all([
      setUser(context, "anna", { addGroups: ["Choir"], phone: "1" }),
      setUser({ ...context, store: other }, "anna", { groupName: "South", removeGroups: ["Team"] }),
    ]);
    expect(await groupsOfAnna(context)).toEqual(["South", "Choir"]);
    expect(await showUser(context, "anna")).toMatchObject({ phone: "1" });
  });
});

/** Opens a client to the groups and gives the user a token of it. */
async function openClient(context: Context, id: string, { groups, userId }: { groups: string[]; userId: string }) {
  await addClient(context, { id, name: id, redirectUris: ["http://localhost:9/callback"] });
  const groupIds: string[] = [];
  for (const name of groups) groupIds.push((await showGroup(context, name)).id);
  await context.store.tx(async (tx) => {
    await updateClient(tx, id, { access: "groups" }, context.clock.now());
    await replaceGroupsOfClient(tx, id, groupIds);
  });
  const common = { payload: {}, accountId: userId, clientId: id };
  await saveRecord(context.store, { ...common, model: "Grant", id: `grant-${id}` });
  await saveRecord(context.store, { ...common, model: "RefreshToken", id: `token-${id}`, grantId: `grant-${id}` });
}

const tokensOf = async ({ store }: Context) =>
  (await store.q.select().from(store.t.oidcRecords).where(eq(store.t.oidcRecords.model, "RefreshToken")))
    .map(({ clientId }) => clientId)
    .toSorted();

describe.each(dialects)("access to applications on %s", (dialect) => {
  async function withApplications() {
    const context = await withAnna(await withStore(dialect));
    const { id: userId } = await showUser(context, "anna");
    await openClient(context, "north", { groups: ["North"], userId });
    await openClient(context, "team", { groups: ["Team"], userId });
    await openClient(context, "both", { groups: ["North", "Team"], userId });
    return context;
  }

  it("ends with the membership that gave it", async () => {
    const context = await withApplications();
    await setUser(context, "anna", { removeGroups: ["Team"] });
    expect(await tokensOf(context)).toEqual(["both", "north"]);
  });

  it("ends with the home group that gave it", async () => {
    const context = await withApplications();
    await setUser(context, "anna", { groupName: "South" });
    expect(await tokensOf(context)).toEqual(["both", "team"]);
    await setUser(context, "anna", { groupName: null, removeGroups: ["Team"] });
    expect(await tokensOf(context)).toEqual([]);
  });

  it("stays when a further group becomes the home group", async () => {
    const context = await withApplications();
    await setUser(context, "anna", { groupName: "Team" });
    expect(await tokensOf(context)).toEqual(["both", "team"]);
  });

  it("ends with the group, which is removed only with --end-memberships", async () => {
    const context = await withApplications();
    const refused = await removeGroup(context, "Team").catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: "group is in use", detail: "Team: 1 further members, 2 applications" });
    expect(await refusalOf(removeGroup(context, "North", { endMemberships: true }))).toBe("group has members");
    expect(await tokensOf(context)).toEqual(["both", "north", "team"]);
    const before = (await eventsOf(context)).length;
    expect(await removeGroup(context, "Team", { endMemberships: true })).toMatchObject({
      ...{ name: "Team", memberships: 1, applications: 2 },
    });
    expect(await tokensOf(context)).toEqual(["both", "north"]);
    expect(await groupsOfAnna(context)).toEqual(["North"]);
    expect((await eventsOf(context)).slice(before)).toEqual([
      ["group.member-removed", "anna", "Team"],
      ["group.removed", undefined, "Team: removed"],
    ]);
  });

  it("is counted for each group", async () => {
    const context = await withApplications();
    const groups = await listGroups(context);
    expect(
      groups.map(({ name, homeMembers, furtherMembers, applications }) => [
        ...[name, homeMembers, furtherMembers, applications],
      ]),
    ).toEqual([
      ["Choir", 0, 0, 0],
      ["North", 1, 0, 2],
      ["South", 0, 0, 0],
      ["Team", 0, 1, 2],
    ]);
    expect(await showGroup(context, "Team")).toMatchObject({
      homeMembers: [],
      furtherMembers: ["anna"],
      applications: ["both", "team"],
    });
  });
});

describe.each(dialects)("a group that is removed while a user gets it, on %s", (dialect) => {
  it("is kept, because the removal waits for the membership", async () => {
    const [store, other] = await withTwoStores(dialect);
    const context = await withAnna(store);
    const held = holdCalls();
    const paused = beforeEachCommit(store, async (tx) => {
      await held.pass();
      await whenWaiting(tx);
    });
    const joining = setUser({ ...context, store: paused }, "anna", { addGroups: ["Choir"] });
    await held.started;
    const refused = refusalOf(removeGroup({ ...context, store: other }, "Choir"));
    held.release();
    await joining;
    expect(await refused).toBe("group is in use");
    expect(await groupsOfAnna(context)).toEqual(["North", "Choir", "Team"]);
  });

  it("is not found by a new user who was prepared before", async () => {
    const context = await withGroups(await withStore(dialect), "Choir");
    const input = { username: "bernd", displayName: "Bernd", furtherGroups: ["Choir"] };
    const prepared = await prepareUser(context, input);
    await removeGroup(context, "Choir");
    const late = context.store.tx((tx) => storeUser({ ...context, store: tx }, prepared));
    expect(await refusalOf(late)).toBe("group not found");
  });
});

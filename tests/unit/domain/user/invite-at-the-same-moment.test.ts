import { describe, expect, test } from "vitest";
import type { Administrator } from "#app/domain/administration/administrator.ts";
import { grantRole } from "#app/domain/role/grant.server.ts";
import { type InvitedPerson, invitePerson } from "#app/domain/user/invite-person.server.ts";
import { whenWaiting } from "#tests/http/oidc/lock-wait.ts";
import { beforeEachCommit, type Dialect, dialects, withTwoStores } from "#tests/support/databases.ts";
import { type Installation, installation, putUser } from "#tests/unit/domain/fixtures.ts";

const ANNA: InvitedPerson = {
  ...{ givenName: "Anna", familyName: "Berger", email: "anna.berger@office.example" },
  ...{ username: null, officeId: null, groupIds: [], lastDay: null },
};

/** Opens two stores of one database, as two processes do, with an administrator at each. */
async function twoProcesses(dialect: Dialect) {
  const [store, otherStore] = await withTwoStores(dialect);
  const [first, second] = [installation(store), installation(otherStore)];
  return { first, second, karin: await administratorAt(first, "karin"), sven: await administratorAt(first, "sven") };
}

async function administratorAt(context: Installation, username: string): Promise<Administrator> {
  const user = await putUser(context.store, { username });
  await context.store.tx((store) => grantRole({ ...context, store }, user, { role: "administrator", office: null }));
  return { userId: user.id, username, generation: user.generation, role: "administrator", officeId: null };
}

/** Sends both invitations; the second one runs while the first is stored but not committed. */
async function inviteAtOnce(
  { first, second, karin, sven }: Awaited<ReturnType<typeof twoProcesses>>,
  [ofKarin, ofSven]: readonly [InvitedPerson, InvitedPerson],
) {
  let later: ReturnType<typeof invitePerson> | undefined;
  const store = beforeEachCommit(first.store, async (tx) => {
    later = invitePerson(second, sven, ofSven);
    await whenWaiting(tx);
  });
  const earlier = await invitePerson({ ...first, store }, karin, ofKarin);
  const result = await later;
  const people = (await first.store.q.select().from(store.t.users)).filter(({ givenName }) => givenName === "Anna");
  return { earlier, later: result, people };
}

// Proves requirement 221.
describe.each(dialects)("two administrators who invite at the same moment, at two processes on %s", (dialect) => {
  test("add the same person once; the other one reads that the person is already invited", async () => {
    const processes = await twoProcesses(dialect);
    const { earlier, later, people } = await inviteAtOnce(processes, [ANNA, ANNA]);
    expect(earlier.kind).toBe("done");
    expect(later).toEqual({ kind: "refused", code: "user is invalid", fields: ["repeated"] });
    expect(people).toHaveLength(1);
  });

  test("add one person with a typed user name; the other one reads at its field that it exists", async () => {
    const processes = await twoProcesses(dialect);
    const other = { ...ANNA, familyName: "Brandt", email: "anna.brandt@office.example", username: "Anna.B" };
    const { earlier, later, people } = await inviteAtOnce(processes, [{ ...ANNA, username: "anna.b" }, other]);
    expect(earlier.kind).toBe("done");
    expect(later).toEqual({ kind: "refused", code: "username not available", fields: ["username"] });
    expect(people.map(({ familyName }) => familyName)).toEqual(["Berger"]);
  });

  test("add both people of the same name, of whom the second gets a number", async () => {
    const processes = await twoProcesses(dialect);
    const namesake = { ...ANNA, email: "anna.berger2@office.example" };
    const { earlier, later } = await inviteAtOnce(processes, [ANNA, namesake]);
    expect([earlier, later]).toMatchObject([{ username: "anna.berger" }, { username: "anna.berger2" }]);
  });
});

import { describe, expect, test } from "vitest";
import { lastAuditEvents } from "#app/domain/audit-trail/read.server.ts";
import { setUser, type UserChanges } from "#app/domain/user/set.server.ts";
import { whenWaiting } from "#tests/http/oidc/lock-wait.ts";
import { beforeEachCommit, type Dialect, dialects, withTwoStores } from "#tests/support/databases.ts";
import { installation, putUser } from "#tests/unit/domain/fixtures.ts";

/** Makes two changes of one user; the second one begins while the first is stored but not committed. */
async function setAtOnce(dialect: Dialect, [first, second]: readonly [UserChanges, UserChanges]) {
  const [store, otherStore] = await withTwoStores(dialect);
  const [context, other] = [installation(store), installation(otherStore)];
  await putUser(store, { username: "anna", displayName: "Anna", email: "old@office.example", emailVerified: false });
  let later: ReturnType<typeof setUser> | undefined;
  const held = beforeEachCommit(store, async (tx) => {
    later = setUser(other, "anna", second);
    await whenWaiting(tx);
  });
  await setUser({ ...context, store: held }, "anna", first);
  const { user, isChanged } = (await later) ?? {};
  const events = (await lastAuditEvents(context, {}, 10)).map(({ type, detail }) => `${type} ${detail.reason}`);
  const mails = (await store.q.select().from(store.t.mailOutbox)).length;
  return { user, isChanged, events, mails };
}

describe.each(dialects)("two commands that change a user at the same moment on %s", (dialect) => {
  test("record one change if both store the same value", async () => {
    const { isChanged, events } = await setAtOnce(dialect, [{ displayName: "Anna B" }, { displayName: "Anna B" }]);
    expect(events).toEqual(["user.changed displayName"]);
    expect(isChanged).toBe(false);
  });

  test("record both changes if the second one stores the former value again", async () => {
    const { user, events } = await setAtOnce(dialect, [{ displayName: "Anna B" }, { displayName: "Anna" }]);
    expect(user?.displayName).toBe("Anna");
    expect(events).toEqual(["user.changed displayName", "user.changed displayName"]);
  });

  test("do not take the proof of one address for another one", async () => {
    const { user, mails } = await setAtOnce(dialect, [
      { email: "new@office.example", emailVerified: true },
      { email: "old@office.example" },
    ]);
    expect(user).toMatchObject({ email: "old@office.example", emailVerified: false });
    expect(mails).toBe(2);
  });
});

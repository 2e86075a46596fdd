import { describe, expect, it } from "vitest";
import { setUserStatus } from "#app/db/repositories/users.server.ts";
import { findSubjectOfSession } from "#app/domain/sign-in-policy/live-session.server.ts";
import { withStore } from "#tests/support/databases.ts";
import { putUser } from "#tests/unit/domain/fixtures.ts";

describe("the subject of a live session", () => {
  const optional = { mfaPolicy: "optional" as const, mfaRememberDays: 0 };

  it("is the signed-in user with the methods of the sign-in", async () => {
    const store = await withStore("sqlite");
    const { id, generation } = await putUser(store, { username: "anna" });
    const session = { accountId: id, amr: ["pwd"], generation };
    expect(await findSubjectOfSession({ store, config: optional }, session)).toMatchObject({
      userId: id,
      amr: ["pwd"],
    });
  });

  it("is null without a session, or in one without a user", async () => {
    const store = await withStore("sqlite");
    const context = { store, config: optional };
    expect(await findSubjectOfSession(context, null)).toBeNull();
    expect(await findSubjectOfSession(context, { accountId: null, amr: [], generation: null })).toBeNull();
    expect(await findSubjectOfSession(context, { accountId: "gone", amr: ["pwd"], generation: 1 })).toBeNull();
  });

  it("is null after a block, also after unblocking: the session has an older generation", async () => {
    const store = await withStore("sqlite");
    const { id, generation } = await putUser(store, { username: "anna" });
    const session = { accountId: id, amr: ["pwd"], generation };
    await setUserStatus(store, id, "blocked", new Date());
    expect(await findSubjectOfSession({ store, config: optional }, session)).toBeNull();
    await setUserStatus(store, id, "active", new Date());
    expect(await findSubjectOfSession({ store, config: optional }, session)).toBeNull();
  });

  it("is null if the current policy requires more than was proven", async () => {
    const store = await withStore("sqlite");
    const { id, generation } = await putUser(store, { username: "anna" });
    const required = { store, config: { mfaPolicy: "required" as const, mfaRememberDays: 0 } };
    const session = { accountId: id, generation };
    expect(await findSubjectOfSession(required, { ...session, amr: ["pwd"] })).toBeNull();
    expect(await findSubjectOfSession(required, { ...session, amr: ["pwd", "otp", "mfa"] })).not.toBeNull();
  });
});

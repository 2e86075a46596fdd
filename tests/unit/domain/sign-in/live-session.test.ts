import { describe, expect, it } from "vitest";
import { setUserStatus } from "#app/db/repositories/users.server.ts";
import { findSubjectOfSession } from "#app/domain/sign-in/live-session.server.ts";
import { withStore } from "#tests/support/databases.ts";
import { putUser } from "#tests/unit/domain/fixtures.ts";

describe("the person of a live session", () => {
  const optional = { mfaPolicy: "optional" as const };

  it("is the one who signed in, as they signed in", async () => {
    const store = await withStore("sqlite");
    const { id, generation } = await putUser(store, { username: "anna" });
    const session = { accountId: id, amr: ["pwd"], generation };
    expect(await findSubjectOfSession({ store, config: optional }, session)).toMatchObject({
      userId: id,
      amr: ["pwd"],
    });
  });

  it("is nobody without a session, or in one that names nobody", async () => {
    const store = await withStore("sqlite");
    const context = { store, config: optional };
    expect(await findSubjectOfSession(context, null)).toBeNull();
    expect(await findSubjectOfSession(context, { accountId: null, amr: [], generation: null })).toBeNull();
    expect(await findSubjectOfSession(context, { accountId: "gone", amr: ["pwd"], generation: 1 })).toBeNull();
  });

  it("is nobody after a block, also when it was lifted again: the session is of an older generation", async () => {
    const store = await withStore("sqlite");
    const { id, generation } = await putUser(store, { username: "anna" });
    const session = { accountId: id, amr: ["pwd"], generation };
    await setUserStatus(store, id, "blocked", new Date());
    expect(await findSubjectOfSession({ store, config: optional }, session)).toBeNull();
    await setUserStatus(store, id, "active", new Date());
    expect(await findSubjectOfSession({ store, config: optional }, session)).toBeNull();
  });

  it("is nobody when today's policy asks for more than was proven", async () => {
    const store = await withStore("sqlite");
    const { id, generation } = await putUser(store, { username: "anna" });
    const required = { store, config: { mfaPolicy: "required" as const } };
    const session = { accountId: id, generation };
    expect(await findSubjectOfSession(required, { ...session, amr: ["pwd"] })).toBeNull();
    expect(await findSubjectOfSession(required, { ...session, amr: ["pwd", "otp", "mfa"] })).not.toBeNull();
  });
});

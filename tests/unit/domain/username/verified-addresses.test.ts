import { describe, expect, it } from "vitest";
import { findUser } from "#app/db/repositories/users.server.ts";
import { issueResetLink } from "#app/domain/password-reset/link.server.ts";
import { resetPassword } from "#app/domain/password-reset/reset.server.ts";
import { addUser } from "#app/domain/user/add.server.ts";
import { applyImport } from "#app/domain/user/import/apply.server.ts";
import { planImport } from "#app/domain/user/import/plan.server.ts";
import { whenWaiting } from "#tests/http/oidc/lock-wait.ts";
import { beforeEachCommit, type Dialect, dialects, withTwoStores } from "#tests/support/databases.ts";
import { type Installation, installation, putUser, REQUEST } from "#tests/unit/domain/fixtures.ts";

const EMAIL = "anna@office.example";

/** Opens two stores of one database, as two processes do, and stores a user with an unverified address. */
async function twoProcesses(dialect: Dialect) {
  const [store, otherStore] = await withTwoStores(dialect);
  const [first, second] = [installation(store), installation(otherStore)];
  const anna = await putUser(first.store, { username: "anna", email: EMAIL });
  const isVerified = async () => (await findUser(first.store, anna.id))?.emailVerified;
  return { first, second, anna, isVerified };
}

/** Adds a user who has the address as user name. */
function takeName(context: Installation) {
  return addUser(context, { username: EMAIL, displayName: "Bernd" });
}

/** Plans an import that verifies the address of this user; the plan finds no problem yet. */
async function planVerification(context: Installation, username: string) {
  const raw = { line: 2, fields: { username, display_name: "Anna", email: EMAIL, email_verified: true } };
  const plan = await planImport(context, [raw], { onConflict: "update" });
  expect(plan.problems).toEqual([]);
  return plan.rows;
}

/** Starts `other` while `work` is done but not committed, and commits when `other` waits. Returns its result. */
async function during<Result>(
  context: Installation,
  work: (context: Installation) => Promise<unknown>,
  other: () => Promise<Result>,
) {
  let result: Promise<PromiseSettledResult<Result>[]> | undefined;
  const store = beforeEachCommit(context.store, async (tx) => {
    result = Promise.allSettled([other()]);
    await whenWaiting(tx);
  });
  await work({ ...context, store });
  return (await result)?.[0];
}

describe.each(dialects)("a name and a verified address of the same moment on %s", (dialect) => {
  // Proves requirement 152.
  it.each(["anna", "new"])("are not both stored if an import verifies the address of %s later", async (username) => {
    const { first, second, isVerified } = await twoProcesses(dialect);
    const rows = await planVerification(second, username);
    const result = await during(first, takeName, () => applyImport(second, rows));
    expect(result).toMatchObject({ status: "rejected", reason: { code: "user is invalid" } });
    expect(await isVerified()).toBe(false);
  });

  // Proves requirement 152.
  it.each(["anna", "new"])("are not both stored if an import verified the address of %s before", async (username) => {
    const { first, second } = await twoProcesses(dialect);
    const rows = await planVerification(first, username);
    const result = await during(
      first,
      (tx) => applyImport(tx, rows),
      () => takeName(second),
    );
    expect(result).toMatchObject({ status: "rejected", reason: { code: "username not available" } });
  });

  // Proves requirement 152.
  it("leave the address unverified if a mailed link would verify it", async () => {
    const { first, second, anna, isVerified } = await twoProcesses(dialect);
    const { url } = await issueResetLink(first, anna, { mailedTo: EMAIL });
    const resetToken = new URL(url).searchParams.get("reset_token") ?? "";
    const typed = { password: "Harbour-Kettle-93-Lamp", repeat: "Harbour-Kettle-93-Lamp" };
    const reset = () => resetPassword(second, { resetToken, ...typed, ...REQUEST });
    expect(await during(first, takeName, reset)).toMatchObject({ status: "fulfilled", value: { kind: "done" } });
    expect(await isVerified()).toBe(false);
  });
});

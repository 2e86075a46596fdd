import { describe, expect, it } from "vitest";
import { createInstallation, type Installation } from "./terminal.ts";

/** Creates an installation with a group and two users, one of them at home in the group. */
async function withUsers(): Promise<Installation> {
  const installation = await createInstallation();
  const { gatehouse } = installation;
  await gatehouse(["group", "add", "North"]);
  await gatehouse(["user", "add", "anna", "--display-name", "Anna Berger"]);
  await gatehouse(["user", "add", "elif", "--display-name", "Elif Demir", "--group", "North"]);
  return installation;
}

const listed = async ({ gatehouse }: Installation) => (await gatehouse(["role", "list", "--json"])).json();

describe("role", () => {
  it("grant gives a role, for one office too, and list shows both", async () => {
    const installation = await withUsers();
    const { gatehouse } = installation;
    expect((await gatehouse(["role", "list"])).stderr).toContain("gatehouse role grant NAME administrator");
    const granted = await gatehouse(["role", "grant", "Anna", "administrator"]);
    expect([granted.exitCode, granted.stdout]).toEqual([0, "User anna has the role administrator.\n"]);
    const helpDesk = await gatehouse(["role", "grant", "elif", "help-desk", "--office", "North", "--json"]);
    expect(helpDesk.json()).toEqual({ id: expect.stringMatching(/^[0-9a-f]{32}$/) });
    expect(await listed(installation)).toMatchObject([
      { username: "anna", display_name: "Anna Berger", role: "administrator", office: null, is_blocked: false },
      { username: "elif", role: "help-desk", office: "North" },
    ]);
    expect((await gatehouse(["role", "list"])).stdout).toMatch(/anna +Anna Berger +administrator +all +active/);
  });

  it("revoke takes a role away, and keeps the last administrator", async () => {
    const installation = await withUsers();
    const { gatehouse } = installation;
    for (const name of ["anna", "elif"]) await gatehouse(["role", "grant", name, "administrator"]);
    expect((await gatehouse(["role", "revoke", "elif"])).stdout).toBe("User elif has no role any more.\n");
    const kept = await gatehouse(["role", "revoke", "anna"]);
    expect([kept.exitCode, kept.stderr]).toEqual([5, expect.stringContaining("gatehouse role grant")]);
    expect(await listed(installation)).toMatchObject([{ username: "anna", role: "administrator" }]);
    const list = await gatehouse(["audit", "list", "--type", "role.granted", "--type", "role.revoked"]);
    expect(list.stdout.trimEnd().split("\n").slice(1)).toEqual([
      expect.stringMatching(/role\.granted +ok +anna .* administrator$/),
      expect.stringMatching(/role\.granted +ok +elif .* administrator$/),
      expect.stringMatching(/role\.revoked +ok +elif .* administrator$/),
    ]);
  });

  it.each([
    ["an unknown user", 4, ["grant", "bernd", "administrator"]],
    ["an unknown role", 2, ["grant", "anna", "boss"]],
    ["an unknown office", 4, ["grant", "elif", "help-desk", "--office", "South"]],
    ["an administrator of one office", 5, ["grant", "elif", "administrator", "--office", "North"]],
    ["the only administrator who becomes a help desk", 5, ["grant", "anna", "help-desk"]],
    ["a user without a role", 5, ["revoke", "elif"]],
    ["a missing role", 2, ["grant", "elif"]],
  ])("for %s ends with %i and changes nothing", async (_what, exitCode, args) => {
    const installation = await withUsers();
    await installation.gatehouse(["role", "grant", "anna", "administrator"]);
    const before = await listed(installation);
    const refused = await installation.gatehouse(["role", ...args]);
    expect([refused.exitCode, refused.stdout]).toEqual([exitCode, ""]);
    expect(refused.stderr).not.toBe("");
    expect(await listed(installation)).toEqual(before);
  });
});

import { describe, expect, it } from "vitest";
import { createInstallation, type Installation } from "./terminal.ts";

describe("group add", () => {
  it("prints the new id", async () => {
    const { gatehouse } = await createInstallation();
    const added = await gatehouse(["group", "add", "North", "--json"]);
    expect(added.json()).toEqual({ id: expect.stringMatching(/^[0-9a-f]{32}$/) });
  });

  it("can demand a second factor of all members", async () => {
    const { gatehouse } = await createInstallation();
    await gatehouse(["group", "add", "North"]);
    await gatehouse(["group", "add", "Administration", "--require-mfa"]);
    expect((await gatehouse(["group", "list", "--json"])).json()).toMatchObject([
      { name: "Administration", require_mfa: true },
      { name: "North", require_mfa: false },
    ]);
  });

  it("refuses a name that is taken with 5, and ends with 2 for an invalid one", async () => {
    const { gatehouse } = await createInstallation();
    await gatehouse(["group", "add", "North"]);
    expect((await gatehouse(["group", "add", "North"])).exitCode).toBe(5);
    expect((await gatehouse(["group", "add", " "])).exitCode).toBe(2);
  });
});

describe("group set", () => {
  const listed = async ({ gatehouse }: Installation) => (await gatehouse(["group", "list", "--json"])).json();

  it.each([
    ["--require-mfa", [], true],
    ["--no-require-mfa", ["--require-mfa"], false],
  ])("%s changes only whether a second factor is required", async (option, before, requireMfa) => {
    const installation = await createInstallation();
    const added = await installation.gatehouse(["group", "add", "North", ...before, "--json"]);
    const changed = await installation.gatehouse(["group", "set", "North", option, "--json"]);
    expect(changed.json()).toEqual(added.json());
    expect(await listed(installation)).toMatchObject([{ name: "North", require_mfa: requireMfa }]);
  });

  it("--rename keeps the users and the second factor that is required of them", async () => {
    const installation = await createInstallation();
    await installation.gatehouse(["group", "add", "North", "--require-mfa"]);
    await installation.gatehouse(["user", "add", "anna", "--display-name", "Anna", "--group", "North"]);
    const renamed = await installation.gatehouse(["group", "set", "North", "--rename", "North and East"]);
    expect([renamed.exitCode, renamed.stdout]).toEqual([0, expect.stringContaining("North and East")]);
    expect(await listed(installation)).toMatchObject([{ name: "North and East", require_mfa: true }]);
    const shown = await installation.gatehouse(["user", "show", "anna", "--json"]);
    expect(shown.json()).toMatchObject({ group: "North and East" });
  });

  it.each([
    ["an unknown group", 4, ["South", "--require-mfa"]],
    ["a name that is taken", 5, ["North", "--rename", "East"]],
    ["no change at all", 2, ["North"]],
    ["an invalid name", 2, ["North", "--rename", " "]],
  ])("for %s ends with %i and changes nothing", async (_what, exitCode, args) => {
    const installation = await createInstallation();
    for (const name of ["North", "East"]) await installation.gatehouse(["group", "add", name]);
    const before = await listed(installation);
    const refused = await installation.gatehouse(["group", "set", ...args]);
    expect([refused.exitCode, refused.stdout]).toEqual([exitCode, ""]);
    expect(refused.stderr).not.toBe("");
    expect(await listed(installation)).toEqual(before);
  });
});

describe("group remove", () => {
  it("removes a group without members, and keeps one with members", async () => {
    const installation = await createInstallation();
    for (const name of ["North", "East"]) await installation.gatehouse(["group", "add", name]);
    await installation.gatehouse(["user", "add", "anna", "--display-name", "Anna", "--group", "North"]);
    const kept = await installation.gatehouse(["group", "remove", "North"]);
    expect([kept.exitCode, kept.stderr]).toEqual([5, expect.stringMatching(/North: 1\).*\n.*--no-group/)]);
    const removed = await installation.gatehouse(["group", "remove", "East", "--json"]);
    expect([removed.exitCode, removed.json()]).toEqual([0, { id: expect.any(String) }]);
    expect((await installation.gatehouse(["group", "list", "--json"])).json()).toMatchObject([{ name: "North" }]);
    expect((await installation.gatehouse(["group", "remove", "East"])).exitCode).toBe(4);
    await installation.gatehouse(["user", "set", "anna", "--no-group"]);
    expect((await installation.gatehouse(["group", "remove", "North"])).exitCode).toBe(0);
    const { stdout } = await installation.gatehouse(["audit", "list", "--type", "group.removed"]);
    expect(stdout).toMatch(/East: removed\n[\s\S]*North: removed/);
  });
});

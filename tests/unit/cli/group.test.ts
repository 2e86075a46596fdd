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
    expect([removed.exitCode, removed.json()]).toEqual([
      0,
      { id: expect.any(String), name: "East", memberships: 0, applications: 0 },
    ]);
    expect((await installation.gatehouse(["group", "list", "--json"])).json()).toMatchObject([{ name: "North" }]);
    expect((await installation.gatehouse(["group", "remove", "East"])).exitCode).toBe(4);
    await installation.gatehouse(["user", "set", "anna", "--no-group"]);
    expect((await installation.gatehouse(["group", "remove", "North"])).exitCode).toBe(0);
    const { stdout } = await installation.gatehouse(["audit", "list", "--type", "group.removed"]);
    expect(stdout).toMatch(/East: removed\n[\s\S]*North: removed/);
  });
});

describe("further groups in commands", () => {
  async function withTeam() {
    const installation = await createInstallation();
    const { gatehouse } = installation;
    await gatehouse(["group", "add", "North"]);
    const details = ["--description", "Invoices", "--contact", "team@example.com"];
    await gatehouse(["group", "add", "Team", "--default", ...details]);
    await gatehouse(["group", "add", "Choir"]);
    await gatehouse(["user", "add", "anna", "--display-name", "Anna", "--group", "North", "--add-group", "Choir"]);
    return installation;
  }

  it("are listed and shown with the numbers and names of their members", async () => {
    const { gatehouse } = await withTeam();
    const { stdout } = await gatehouse(["group", "list"]);
    expect(stdout.split("\n").map((row) => row.split(/ {2,}/).slice(0, 6))).toMatchObject([
      ["NAME", "SECOND FACTOR", "DEFAULT", "HOME MEMBERS", "FURTHER MEMBERS", "APPLICATIONS"],
      ["Choir", "as configured", "no", "0", "1", "0"],
      ["North", "as configured", "no", "1", "0", "0"],
      ["Team", "as configured", "yes", "0", "1", "0"],
      [""],
    ]);
    expect((await gatehouse(["group", "show", "Team", "--json"])).json()).toMatchObject({
      ...{ name: "Team", is_default: true, description: "Invoices", contact: "team@example.com" },
      ...{ home_members: [], further_members: ["anna"], applications: [] },
    });
    const shown = await gatehouse(["group", "show", "Team"]);
    expect(shown.stdout).toMatch(/^contact +team@example\.com\n[\s\S]*^further members +anna$/m);
    expect((await gatehouse(["group", "show", "Nowhere"])).exitCode).toBe(4);
  });

  it("are changed by user set, and shown by user show and user list", async () => {
    const { gatehouse } = await withTeam();
    const set = ["user", "set", "anna", "--remove-group", "Team", "--remove-group", "Choir", "--add-group", "Team"];
    const contradiction = await gatehouse(set);
    expect([contradiction.exitCode, contradiction.stderr]).toEqual([2, expect.stringContaining("--remove-group")]);
    const changed = await gatehouse(["user", "set", "anna", "--remove-group", "Team", "--json"]);
    expect(changed.json()).toMatchObject({ group: "North", further_groups: ["Choir"] });
    expect((await gatehouse(["user", "show", "anna"])).stdout).toMatch(/^further groups +Choir$/m);
    expect((await gatehouse(["user", "list"])).stdout).toMatch(/^anna +Anna +North +active +no +1$/m);
  });

  it.each([
    ["--remove-group", "North", 5, "--no-group"],
    ["--add-group", "Nowhere", 4, 'no group "Nowhere"'],
  ])("%s %s ends with %i", async (option, name, exitCode, message) => {
    const { gatehouse } = await withTeam();
    const refused = await gatehouse(["user", "set", "anna", option, name]);
    expect([refused.exitCode, refused.stderr]).toEqual([exitCode, expect.stringContaining(message)]);
  });

  it("end with the group by --end-memberships only", async () => {
    const { gatehouse } = await withTeam();
    const kept = await gatehouse(["group", "remove", "Team"]);
    expect([kept.exitCode, kept.stderr]).toEqual([
      5,
      expect.stringMatching(/1 further members.*\n.*--end-memberships/),
    ]);
    const removed = await gatehouse(["group", "remove", "Team", "--end-memberships"]);
    expect([removed.exitCode, removed.stdout]).toEqual([
      0,
      expect.stringMatching(/^Removed group Team .*\nEnded 1 memberships, and closed 0 applications to it\.\n$/),
    ]);
  });

  it("lose their description, contact and default by --no-", async () => {
    const { gatehouse } = await withTeam();
    await gatehouse(["group", "set", "Team", "--no-default", "--no-description", "--no-contact"]);
    const shown = (await gatehouse(["group", "show", "Team", "--json"])).json();
    expect(shown).toMatchObject({ is_default: false, description: null, contact: null });
    const events = (await gatehouse(["audit", "list", "--type", "group.changed", "--json"])).json();
    const reason = "Team: second factor as configured, no longer default, description, contact";
    expect(events).toMatchObject([{ detail: { reason } }]);
  });

  it.each([
    ["--description", "x".repeat(301)],
    ["--contact", "two\nlines"],
    ["--contact", ""],
  ])("refuse %s %j with 2", async (option, text) => {
    const { gatehouse } = await withTeam();
    expect((await gatehouse(["group", "set", "Team", option, text])).exitCode).toBe(2);
    expect((await gatehouse(["group", "show", "Team", "--json"])).json()).toMatchObject({ description: "Invoices" });
  });
});

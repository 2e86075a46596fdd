import { describe, expect, it } from "vitest";
import { createInstallation, run } from "./terminal.ts";

const RED = "\u001b[31m";

describe("colour", () => {
  it("is shown on a terminal", async () => {
    const { stderr } = await run(["usr"], { answers: [] });
    expect(stderr).toContain(RED);
  });

  it.each([
    ["is omitted when the output goes to a file", {}],
    ["is left out with NO_COLOR", { env: { NO_COLOR: "1" }, answers: [] }],
    ["is left out on a dumb terminal", { env: { TERM: "dumb" }, answers: [] }],
  ])("%s", async (_when, options) => {
    const { stderr } = await run(["usr"], options);
    expect(stderr).not.toContain("\u001b[");
    expect(stderr).toContain("error: unknown command");
  });
});

/** Commands that print a result. */
const COMMANDS = [
  ["user", "list"],
  ["user", "show", "anna"],
  ["user", "block", "anna"],
  ["user", "unblock", "anna"],
  ["group", "list"],
  ["client", "list"],
  ["client", "show", "desk"],
  ["client", "rotate-secret", "desk"],
  ["client", "remove", "desk", "--yes"],
  ["keys", "list"],
  ["migrate"],
  ["migrate", "--plan"],
  ["config", "check"],
  ["config", "show"],
];

describe("on a full disk", () => {
  it.each(["--help", "--json"])("every command with %s ends with 1 and one sentence", async (option) => {
    const { gatehouse } = await createInstallation();
    await gatehouse(["user", "add", "anna", "--display-name", "Anna"]);
    await gatehouse([
      "client",
      "add",
      "--id",
      "desk",
      "--name",
      "Desk",
      "--redirect-uri",
      "https://desk.example/",
      "--everyone",
    ]);
    for (const args of COMMANDS) {
      const { exitCode, stderr } = await gatehouse([...args, option], { hasFullDisk: true });
      expect(exitCode, args.join(" ")).toBe(1);
      expect(stderr.match(/^error: The result could not be written to standard output: ENOSPC.*$/gm)).toHaveLength(1);
    }
  });
});

describe("--json", () => {
  it("puts one JSON value and nothing else on standard output, for every command", async () => {
    const { gatehouse } = await createInstallation();
    await gatehouse(["user", "add", "anna", "--display-name", "Anna"]);
    await gatehouse([
      "client",
      "add",
      "--id",
      "desk",
      "--name",
      "Desk",
      "--redirect-uri",
      "https://desk.example/",
      "--everyone",
    ]);
    for (const args of COMMANDS) {
      const finished = await gatehouse([...args, "--json"]);
      expect(finished.exitCode, args.join(" ")).toBe(0);
      expect(finished.json(), args.join(" ")).toBeTypeOf("object");
    }
  });

  it("has names with underscores and times in ISO 8601", async () => {
    const { gatehouse } = await createInstallation();
    await gatehouse(["user", "add", "anna", "--display-name", "Anna Berger"]);
    expect((await gatehouse(["user", "show", "anna", "--json"])).json()).toMatchObject({
      username: "anna",
      display_name: "Anna Berger",
      has_password: false,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
    });
  });

  it("leaves standard output empty when the command fails", async () => {
    const { gatehouse } = await createInstallation();
    const { exitCode, stdout, stderr } = await gatehouse(["user", "show", "nobody", "--json"]);
    expect(exitCode).toBe(4);
    expect(stdout).toBe("");
    expect(stderr).toContain('no user "nobody"');
  });
});

describe("without --json", () => {
  it("an empty list prints nothing on standard output, and a note on standard error", async () => {
    const { gatehouse } = await createInstallation();
    for (const noun of ["user", "group", "client", "keys"]) {
      const { exitCode, stdout, stderr } = await gatehouse([noun, "list"]);
      expect([exitCode, stdout]).toEqual([0, ""]);
      expect(stderr).toMatch(/^There are no \w+ yet/);
    }
  });
});

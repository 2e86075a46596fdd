import { describe, expect, it } from "vitest";
import { run } from "./terminal.ts";

const SECRET = "Hunter2-Hunter2";

describe("help", () => {
  it.each([
    [["--help"], "gatehouse user add"],
    [["user", "--help"], "gatehouse user list"],
    [["client", "add", "--help"], "gatehouse client add"],
  ])("of %j starts with examples", async (args, example) => {
    const { exitCode, stdout, stderr } = await run(args);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^Examples:\n {2}\$ /);
    expect(stdout).toContain(example);
    expect(stderr).toBe("");
  });

  it("names the exit codes", async () => {
    const { stdout } = await run(["--help"]);
    expect(stdout).toContain("0 ok, 1 failed, 2 usage, 3 configuration, 4 not found, 5 refused");
  });

  it("every command has its own examples and a description", async () => {
    const nouns = ["user", "group", "client", "keys", "secrets", "audit", "config"];
    for (const noun of nouns) {
      const { stdout } = await run([noun, "--help"]);
      const listed = [...stdout.matchAll(/^ {2}([a-z-]+) .*\S/gm)].map(([, verb]) => verb ?? "");
      const verbs = listed.filter((verb) => verb !== "help");
      expect(verbs).not.toEqual([]);
      for (const verb of verbs) {
        const help = await run([noun, verb, "--help"]);
        expect(help.stdout, `${noun} ${verb}`).toMatch(new RegExp(`^Examples:\\n {2}\\$ .*gatehouse ${noun} ${verb}`));
        expect(help.stdout, `${noun} ${verb}`).toContain("--json");
      }
    }
  });

  it("--version prints the version alone", async () => {
    const { exitCode, stdout } = await run(["--version"]);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });
});

describe("a usage error ends with 2 and prints nothing on standard output", () => {
  it.each([
    ["an unknown noun", ["usr", "list"], "Did you mean user?"],
    ["an unknown verb", ["user", "lst"], "Did you mean list?"],
    ["a noun alone", ["user"], "Examples:"],
    ["an unknown option", ["user", "list", "--jsn"], "Did you mean --json?"],
    ["a misspelled required option", ["user", "add", "anna", "--dispaly-name", "A"], "Did you mean --display-name?"],
    ["a misspelled option of a noun's verb", ["client", "add", "--naem", "A"], "Did you mean --name?"],
    ["a missing argument", ["user", "show"], "missing required argument 'name'"],
    ["an argument too many", ["user", "show", "anna", "bernd"], "too many arguments"],
    ["a missing option", ["user", "add", "anna"], "--display-name"],
    ["an option without its value", ["user", "add", "anna", "--display-name"], "argument missing"],
    ["a value that is not a choice", ["client", "add", "--auth-method", "magic"], "client_secret_basic"],
  ])("%s", async (_what, args, message) => {
    const { exitCode, stdout, stderr } = await run(args);
    expect(exitCode).toBe(2);
    expect(stdout).toBe("");
    expect(stderr).toContain(message);
  });
});

describe("a secret in an argument is refused and not repeated", () => {
  const add = ["user", "add", "anna", "--display-name", "Anna"];
  it.each([
    ["as an option", [...add, "--password", SECRET]],
    ["as an option with =", [...add, `--password=${SECRET}`]],
    ["as a short option", [...add, `-p${SECRET}`]],
    ["as the value of --password-stdin", [...add, `--password-stdin=${SECRET}`]],
    ["as an argument", ["user", "set-password", "anna", SECRET]],
    ["of a client", ["client", "add", "--name", "A", "--redirect-uri", "https://a.example/", `--secret=${SECRET}`]],
  ])("%s", async (_how, args) => {
    const { exitCode, stdout, stderr } = await run(args);
    expect(exitCode).toBe(2);
    expect(stdout + stderr).not.toContain(SECRET);
  });

  it("and the alternative is printed", async () => {
    const { stderr } = await run([...add, `--password=${SECRET}`]);
    expect(stderr).toContain("--password-stdin");
  });
});

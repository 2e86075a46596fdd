import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { run } from "./terminal.ts";

/** Returns what bash offers after these words; the last one is being typed. */
async function offers(...words: string[]): Promise<string[]> {
  const { stdout: script } = await run(["completion", "bash"]);
  const typed = ["gatehouse", ...words].map((word) => `'${word}'`).join(" ");
  const test = `set -eu; ${script}\nCOMP_WORDS=(${typed}); COMP_CWORD=${words.length}; _gatehouse || true\nprintf '%s\\n' "\${COMPREPLY[@]-}"`;
  return execFileSync("bash", ["-c", test], { encoding: "utf8" }).split("\n").filter(Boolean);
}

describe("completion in bash", () => {
  it.each([
    ["a noun", ["us"], ["user"]],
    ["a verb", ["user", "set"], ["set", "set-password"]],
    ["an option", ["user", "add", "anna", "--disp"], ["--display-name"]],
    ["an option after a value", ["user", "import", "staff.csv", "--on-conflict", "skip", "--inv"], ["--invite"]],
    ["the choices of an option", ["user", "import", "--on-conflict", ""], ["fail", "skip", "update"]],
    ["the choices of an argument", ["completion", "b"], ["bash"]],
    ["an option without a noun", ["--ver"], ["--version"]],
  ])("offers %s", async (_what, words, expected) => {
    expect(await offers(...words)).toEqual(expected);
  });

  it("offers every noun of the help, and nothing hidden", async () => {
    const { stdout } = await run(["--help"]);
    const listed = [...(stdout.split("Commands:")[1] ?? "").matchAll(/^ {2}([a-z]+) /gm)].map(([, noun]) => noun);
    const offered = (await offers("")).filter((word) => !word.startsWith("-"));
    expect(offered).toEqual(listed);
    expect(await offers("restore", "--fe")).toEqual([]);
  });

  it("offers nothing for a file name, so that the shell completes it", async () => {
    expect(await offers("user", "import", "./st")).toEqual([]);
  });

  it("names the shells that it knows", async () => {
    const { exitCode, stderr } = await run(["completion", "fish"]);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining("bash")]);
  });
});

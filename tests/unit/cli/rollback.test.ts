import { expect, test } from "vitest";
import { run } from "./terminal.ts";

test.each(["rollback", "activate"])(
  "%s of a program that no Debian package installed is refused, with the command to use",
  async (command) => {
    const { exitCode, stderr } = await run([command]);
    expect([exitCode, stderr]).toEqual([
      5,
      expect.stringMatching(/not installed by the Debian package.*--before-upgrade/s),
    ]);
  },
);

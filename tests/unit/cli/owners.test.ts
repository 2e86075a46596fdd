import { chownSync, lstatSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { createNewInstallation } from "./terminal.ts";

/** User id of the service if the commands of the test run as root. */
const NOBODY = 65534;
const IS_ROOT = process.getuid?.() === 0;

test("each file that a command of root creates belongs to the owner of its folder, who runs the service", async () => {
  const { env, gatehouse } = await createNewInstallation();
  const folder = dirname(env["DATABASE_URL"]?.replace("sqlite:", "") ?? "");
  if (IS_ROOT) chownSync(folder, NOBODY, NOBODY);
  const service = lstatSync(folder).uid;
  const below = () => readdirSync(folder, { recursive: true, encoding: "utf8" });

  async function succeed(...args: string[]) {
    const { exitCode, stderr } = await gatehouse(args, { env: { SMTP_URL: undefined } });
    expect(exitCode, stderr).toBe(0);
    expect(below().filter((name) => lstatSync(join(folder, name)).uid !== service)).toEqual([]);
  }

  await succeed("user", "add", "anna", "--display-name", "Anna");
  await succeed("backup");
  await succeed("mail", "test", "anna@example.com");
  const backup = below().find((name) => name.startsWith("backups/") && name.endsWith(".sqlite"));
  await succeed("restore", join(folder, backup ?? ""), "--yes");
  await succeed("user", "add", "berta", "--display-name", "Berta");
  expect(below()).toEqual(
    expect.arrayContaining(["audit.jsonl", "gatehouse.epoch", "gatehouse.sqlite", "gatehouse.sqlite.lock", "outbox"]),
  );
});

import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { canMount, OWN_MOUNTS } from "#tests/http/crash/disk-failures.ts";
import { createInstallation, type OfflineInstallation } from "./installation.ts";

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

let installation: OfflineInstallation;
let disk: string;

beforeAll(async () => {
  installation = await createInstallation();
  disk = join(installation.folder, "disk");
  mkdirSync(disk);
});
afterAll(() => installation?.remove());

/** Mounts a tmpfs of this size at the folder, runs the command, and then lists the names and modes of its files. */
function mounted(size: string): string[] {
  const command = `mount -t tmpfs -o size=${size} tmpfs ${disk} && { "$@"; code=$?; } &&
    find ${disk} -mindepth 1 -printf "%f %m\\n" | sort >&2; exit $code`;
  return [...OWN_MOUNTS, command, "sh"];
}

const backUp = (through: readonly string[] = []) => installation.run(["backup", "--to", disk], { through });

test("backup --to a folder that is no mount point of another disk says so", async () => {
  const { code, stderr } = await backUp();
  expect([code, stderr]).toEqual([0, expect.stringContaining(`${disk} is on the same file system as the database.`)]);
  const names = readdirSync(disk).map((name) => name.replace(/gatehouse-\d{8}T\d{6}Z/, "TIME"));
  expect(names.sort()).toEqual(["TIME.sqlite", "TIME.sqlite.audit.jsonl", "TIME.sqlite.json"]);
});

test("backup --to a missing folder is refused, and none is made", async () => {
  const missing = join(installation.folder, "missing");
  const { code, stdout, stderr } = await installation.run(["backup", "--to", missing]);
  expect([code, stdout]).toEqual([1, ""]);
  expect(stderr).toContain(`The backup to ${missing} failed.\nFolder ${missing} does not exist. Mount the disk`);
  expect(readdirSync(installation.folder)).not.toContain("missing");
});

test("backup takes a file or --to, not both", async () => {
  const { code, stderr } = await installation.run(["backup", join(disk, "file.sqlite"), "--to", disk]);
  expect([code, stderr]).toEqual([2, expect.stringMatching(/either a target file or --to/)]);
});

if (canMount()) {
  test("backup --to another file system writes complete files, readable by the owner only", async () => {
    const { code, stderr } = await backUp(mounted("64m"));
    expect(code).toBe(0);
    expect(stderr).not.toMatch(/same file system/);
    expect(stderr).toMatch(/Z.sqlite 600\n.*Z.sqlite.audit.jsonl 600\n.*Z.sqlite.json 600\n$/);
  });

  test("backup --to a full file system reports it, and leaves no file", async () => {
    const { code, stdout, stderr } = await backUp(mounted("64k"));
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toMatch(/^error: The backup to \S+disk failed.\nThe disk is full: .*\n.*df -h.*\n$/);
  });
} else {
  test("other file systems are tested where processes may mount them", () => expect(canMount()).toBe(false));
}

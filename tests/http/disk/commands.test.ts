import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { ensureSigningKeys } from "#app/oidc/keys.server.ts";
import { TEST_PASSWORD } from "#tests/support/server.ts";
import { createInstallation, type OfflineInstallation, userAdd } from "./installation.ts";

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

/** First line: the failure with the system's error; second line: the remedy. */
const CLEAR_WORD = /^error: (The disk is full|Reading or writing the disk failed): .+\(\w+\)\.\n.*(dmesg|df -h).*\n$/;

const NEW_USERS = Array.from({ length: 300 }, (_, at) => `user${at},User ${at}`);

let installation: OfflineInstallation;
let copy: string;
let list: string;

beforeAll(async () => {
  installation = await createInstallation();
  copy = join(installation.folder, "good.sqlite");
  await installation.administer(ensureSigningKeys);
  list = join(installation.folder, "users.csv");
  writeFileSync(list, ["username,display_name", ...NEW_USERS].join("\n"));
  expect((await installation.run(["backup", copy])).code).toBe(0);
  // From here on the database differs from its backup.
  expect((await installation.run(userAdd("zoe"), { stdin: TEST_PASSWORD })).code).toBe(0);
});
afterAll(() => installation?.remove());

/** Limits the file size (RLIMIT_FSIZE), which acts like a full disk. */
const limited = (bytes: number) => ["prlimit", `--fsize=${bytes}`];

/** Commands that write enough to fail midway on a nearly full disk. */
const long = () => [["backup", join(installation.folder, "new.sqlite")], ["backup"], ["restore", copy, "--yes"]];

const importing = () => ["user", "import", list, "--on-conflict", "skip"];

const all = () => [...long(), importing(), userAdd("dora"), ["keys", "rotate", "--now"]];

test.each([
  { bytes: 0, commands: all },
  { bytes: 100_000, commands: long },
])("on a disk with $bytes free bytes, a command reports it in one line and changes nothing", async (room) => {
  const before = installation.content();
  for (const args of room.commands()) {
    const { code, stdout, stderr } = await installation.run(args, {
      stdin: TEST_PASSWORD,
      through: limited(room.bytes),
    });
    expect([args, code, stdout, stderr]).toEqual([args, 1, "", expect.stringMatching(CLEAR_WORD)]);
    expect([args, installation.content()]).toEqual([args, before]);
  }
  const folders = [installation.folder, installation.data, join(installation.folder, "copies")].filter((folder) =>
    existsSync(folder),
  );
  const names = folders.flatMap((folder) => readdirSync(folder));
  expect(names.filter((name) => /\.part$|^new|^gatehouse-|restoring/.test(name))).toEqual([]);
});

test("an import that fills the disk reports it, and continues after its last row when repeated", async () => {
  const stopped = await installation.run(importing(), { through: limited(200_000) });
  // The log, which comes first, contains the event that audit.jsonl lacks.
  const words = stopped.stderr.slice(stopped.stderr.search(/^error: /m));
  expect([stopped.code, stopped.stdout, words]).toEqual([1, "", expect.stringMatching(CLEAR_WORD)]);
  expect((await installation.run(importing())).code).toBe(0);
  const { stdout } = await installation.run(["user", "list", "--json"]);
  expect(stdout.match(/"username": ?"user\d+"/g)).toHaveLength(NEW_USERS.length);
});

test("on a full disk no new database is created; the next start creates it", async () => {
  const file = join(installation.folder, "new/gatehouse.sqlite");
  const env = { ...installation.env, DATABASE_URL: `sqlite:${file}` };
  const refused = await installation.run(["migrate"], { env, through: limited(0) });
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringMatching(CLEAR_WORD)]);
  expect((await installation.run(["migrate"], { env })).code).toBe(0);
});

// Proves requirement 125.
test("each command works again once the disk has free space", async () => {
  for (const args of all()) {
    const { code, stderr } = await installation.run(args, { stdin: TEST_PASSWORD });
    expect([args, code, stderr]).toEqual([args, 0, expect.any(String)]);
  }
  expect((await installation.run(["audit", "verify"])).code).toBe(0);
});

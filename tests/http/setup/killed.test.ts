import { existsSync, readFileSync } from "node:fs";
import { expect, test, vi } from "vitest";
import { readEnvironmentFile } from "#app/cli/setup/environment-file.server.ts";
import { requireDebianTool } from "#tests/support/debian-tool.ts";
import { createRoot, linksIn, type NewRoot, options, temporaryFilesIn } from "./new-root.ts";

// A setup starts four processes.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

const PASSWORD = "a password of the mail server";
const CONFIG = "etc/gatehouse";

/** Answers with a file of each kind. */
const ANSWERS = options({
  ...{ "--mail": "smtp", "--smtp-server": "localhost:9", "--smtp-user": "gate", "--smtp-password-file": "-" },
  "--proxy": "caddy",
});

/** System calls before which setup is killed: the renamings of its files, and the starts of its processes. */
const STEPS: readonly (readonly [name: string, calls: string, at: number])[] = [
  ["before the secret key is complete", "rename,renameat,renameat2", 1],
  ["before the secret key has its name", "link,linkat", 1],
  ["before the copy of the secret key is removed", "unlink,unlinkat", 1],
  ["before the password of the mail server", "rename,renameat,renameat2", 2],
  ["before the drop-in of the unit", "rename,renameat,renameat2", 3],
  ["before the proxy's file", "rename,renameat,renameat2", 4],
  ["before the environment file", "rename,renameat,renameat2", 5],
  // The first two processes look the system user up.
  ["as the administrator is added", "clone", 3],
  ["as the installation is checked", "clone", 4],
  ["as the link is created", "clone", 5],
];

/** Arguments of strace; without `-f`, the processes that setup starts are not traced. */
function strace(...args: string[]): string[] {
  return [requireDebianTool("strace").program, "-qq", ...args];
}

/** Requires an installation that is complete and readable by its user. */
function expectComplete(root: NewRoot) {
  const folder = root.at(CONFIG);
  expect(readEnvironmentFile(`${folder}/gatehouse.env`)).toMatchObject({ ISSUER: "https://localhost:9" });
  expect(root.read(`${CONFIG}/smtp-url`)).toContain("@localhost:9");
  expect(root.read("etc/caddy/Caddyfile")).toContain("https://localhost:9 {");
  expect(root.read("etc/systemd/system/gatehouse.service.d/mail.conf")).toContain("LoadCredential=smtp-url:");
  expect(temporaryFilesIn(folder)).toEqual([]);
}

test.each(STEPS)(
  "killed %s, the next run finishes, with the same secret key",
  async (_name, calls, at) => {
    const root = createRoot();
    const file = root.at(`${CONFIG}/secret-keys`);
    const through = strace("-e", `inject=${calls}:signal=KILL:when=${at}`, "-o", "/dev/null");
    const killed = await root.setup(ANSWERS, { stdin: PASSWORD, through });
    expect([killed.code, linksIn(killed.stdout)]).toEqual([1, []]);
    const key = existsSync(file) ? readFileSync(file, "utf8") : expect.stringMatching(/^[\w+/]{64}\n$/);
    const again = await root.setup(ANSWERS, { stdin: PASSWORD });
    expect([again.code, readFileSync(file, "utf8")]).toEqual([0, key]);
    expectComplete(root);
    // The process that creates the link may have survived.
    if (linksIn(again.stdout).length === 0) expect(again.stderr).toContain("gatehouse setup --new-link");
  },
  240_000,
);

test("two at once write one secret key and one administrator, and a third run finds both", async () => {
  const root = createRoot();
  await Promise.all([1, 2].map(() => root.setup(ANSWERS, { stdin: PASSWORD })));
  const key = root.read(`${CONFIG}/secret-keys`);
  const third = await root.setup(ANSWERS, { stdin: PASSWORD });
  expect([third.code, root.read(`${CONFIG}/secret-keys`)]).toEqual([0, key]);
  expect(third.stdout).toContain("anna.berger (has not signed in)");
  expectComplete(root);
});

test("passes no secret in an argument", async () => {
  const root = createRoot();
  const trace = root.at("trace");
  const through = strace("-f", "-s", "65536", "-e", "trace=execve", "-o", trace);
  const { code, stdout } = await root.setup(ANSWERS, { stdin: PASSWORD, through });
  expect(code).toBe(0);
  const started = readFileSync(trace, "utf8");
  expect(started).toContain('"administrator", "--json"');
  const token = linksIn(stdout)[0]?.split("=")[1] ?? "no link";
  for (const secret of [PASSWORD, encodeURIComponent(PASSWORD), root.read(`${CONFIG}/secret-keys`).trim(), token]) {
    expect(started).not.toContain(secret);
  }
});

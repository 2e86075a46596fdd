import { existsSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { readEnvironmentFile } from "#app/cli/setup/environment-file.server.ts";
import { requireDebianTool } from "#tests/support/debian-tool.ts";
import { createRoot, linksIn, type NewRoot, options, temporaryFilesIn } from "./new-root.ts";

const PASSWORD = "a password of the mail server";
const CONFIG = "etc/gatehouse";

/** Answers with a file of each kind. */
const ANSWERS = options({
  ...{ "--mail": "smtp", "--smtp-server": "localhost:9", "--smtp-user": "gate", "--smtp-password-file": "-" },
  "--proxy": "caddy",
});

/** System calls that change the files of the installation, and the start of a further process. */
const STEPS = "mkdir,mkdirat,rename,renameat,renameat2,link,linkat,unlink,unlinkat,execve";

/** Arguments of strace. Its parent process alone is traced unless `follows` is set. */
function strace(...args: string[]): string[] {
  return [requireDebianTool("strace").program, "-qq", ...args];
}

/** Requires an installation that is complete and readable by its user. */
async function expectComplete(root: NewRoot) {
  const folder = root.at(CONFIG);
  expect(readEnvironmentFile(`${folder}/gatehouse.env`)).toMatchObject({ ISSUER: "https://localhost:9" });
  expect(root.read(`${CONFIG}/smtp-url`)).toContain("@localhost:9");
  expect(root.read("etc/caddy/Caddyfile")).toContain("https://localhost:9 {");
  expect(root.read("etc/systemd/system/gatehouse.service.d/mail.conf")).toContain("LoadCredential=smtp-url:");
  expect(temporaryFilesIn(folder)).toEqual([]);
}

test("killed at any step, the next run finishes, with the same secret key", async () => {
  const keyOf = (root: NewRoot) => {
    const file = root.at(`${CONFIG}/secret-keys`);
    return existsSync(file) ? readFileSync(file, "utf8") : null;
  };
  let killed = 0;
  for (let step = 2; ; step += 1) {
    const root = createRoot();
    const inject = ["-e", `inject=${STEPS}:signal=KILL:when=${step}`, "-o", "/dev/null"];
    const first = await root.setup(ANSWERS, { stdin: PASSWORD, through: strace(...inject) });
    const key = keyOf(root);
    if (key !== null) expect(key).toMatch(/^[\w+/]{64}\n$/);
    const again = await root.setup(ANSWERS, { stdin: PASSWORD });
    expect([step, again.code, again.stderr]).toEqual([step, 0, expect.anything()]);
    await expectComplete(root);
    expect(keyOf(root)).toEqual(key ?? expect.stringMatching(/^[\w+/]{64}\n$/));
    if (first.code === 0) break;
    killed += 1;
    // The link was created before the end of the first run, or by the second one.
    const link = [...linksIn(first.stdout), ...linksIn(again.stdout)];
    if (link.length === 0) expect(again.stderr).toContain("gatehouse setup --new-link");
  }
  expect(killed).toBeGreaterThan(10);
}, 1_200_000);

test("two at once write one secret key and one administrator, and a third run finds both", async () => {
  const root = createRoot();
  await Promise.all([1, 2].map(() => root.setup(ANSWERS, { stdin: PASSWORD })));
  const key = root.read(`${CONFIG}/secret-keys`);
  const third = await root.setup(ANSWERS, { stdin: PASSWORD });
  expect([third.code, root.read(`${CONFIG}/secret-keys`)]).toEqual([0, key]);
  expect(third.stdout).toContain("anna.berger (has not signed in)");
  await expectComplete(root);
}, 240_000);

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
}, 240_000);

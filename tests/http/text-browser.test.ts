import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { requireDebianTool } from "#tests/support/debian-tool.ts";
import { withBreaks } from "#tests/support/html.ts";
import { createRelyingParty, type RelyingParty } from "#tests/support/relying-party.ts";
import { startServer, type TestServer, type TestUser } from "#tests/support/server.ts";

/** Lynx is stopped after this time. */
const TIMEOUT_MS = 30_000;

const ENTER = "^J";
const NEXT = "<tab>";

let server: TestServer;
let party: RelyingParty;
let anna: TestUser;
let folder: string;

beforeAll(async () => {
  server = await startServer();
  const client = await server.clients.create({ firstParty: true });
  party = createRelyingParty({ issuer: server.url, client });
  anna = await server.users.create();
});
afterAll(() => server?.close());

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "gatehouse-lynx-"));
  return () => rmSync(folder, { recursive: true });
});

/** Runs Lynx with these options, in a terminal if it is given keys; returns its output. */
async function runLynx(options: readonly string[], keys?: readonly string[]): Promise<string> {
  const { program, env } = requireDebianTool("lynx");
  const config = join(folder, "lynx.cfg");
  writeFileSync(config, "");
  const args = [`-cfg=${config}`, "-lss=/dev/null", "-accept_all_cookies", ...options];
  const run = promisify(execFile);
  const settings = { env: { ...env, HOME: folder, TERM: "vt100" }, timeout: TIMEOUT_MS };
  if (!keys) return withBreaks((await run(program, args, settings)).stdout);
  const script = join(folder, "keys");
  writeFileSync(script, [...keys, "Q", "y"].map((key) => `key ${key}\n`).join(""));
  const command = [program, `-cmd_script=${script}`, ...args].map((word) => `'${word}'`).join(" ");
  return (await run("script", ["-qec", command, "/dev/null"], settings)).stdout;
}

test("shows no button that needs a script, and nothing for scripts only", async () => {
  const page = await runLynx(["-dump", "-nolist", party.request().url]);
  expect(page).toContain("User name or e-mail address");
  expect(page).toContain("Password");
  expect(page).not.toContain("Show");
  expect(page).not.toContain("Caps Lock");
});

// Lynx does not store the engine's cookie, whose path is that of the next request only, so the sign-in ends there.
test("sends the sign-in form, whose password is accepted", async () => {
  // The first link skips to the content.
  const keys = [NEXT, ...anna.username, NEXT, ...anna.password, NEXT, ENTER];
  const screens = await runLynx([party.request().url], keys);
  expect(screens).toMatch(/Using http:\/\/localhost:\d+\/oauth2\/auth\//);
});

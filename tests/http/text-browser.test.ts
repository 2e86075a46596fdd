import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeEach, expect, test } from "vitest";
import { requireDebianTool } from "#tests/support/debian-tool.ts";
import { withBreaks } from "#tests/support/html.ts";
import { openPlace } from "#tests/support/relying-parties/place.ts";
import { readTokens } from "#tests/support/relying-party.ts";
import { serverOfFile } from "#tests/support/server.ts";

/** Lynx is stopped after this time. */
const TIMEOUT_MS = 30_000;

const ENTER = "^J";
const NEXT = "<tab>";
let folder: string;
/** The URLs that Lynx has requested of the application. */
let callbacks: URL[];

// Lynx drops cookies that have expired by its own clock, as all of a fixed clock in the past have.
const server = await serverOfFile({ now: "running" });
const place = await openPlace("localhost");
place.serve((request, response) => {
  callbacks.push(new URL(request.url ?? "", place.url));
  response.setHeader("content-type", "text/html").end("<h1>Broker Desk</h1>");
});
const party = await server.parties.create({ firstParty: true, redirectUris: [`${place.url}/callback`] });
const anna = await server.users.create();
afterAll(async () => {
  await place?.close();
});

beforeEach(() => {
  callbacks = [];
  folder = mkdtempSync(join(tmpdir(), "gatehouse-lynx-"));
  return () => rmSync(folder, { recursive: true });
});

/** Runs Lynx with these options, in a terminal if it is given keys; returns its output. */
async function runLynx(options: readonly string[], keys?: readonly string[]): Promise<string> {
  const { program, env } = requireDebianTool("lynx");
  const config = join(folder, "lynx.cfg");
  writeFileSync(config, "");
  const args = [`-cfg=${config}`, "-lss=/dev/null", "-accept_all_cookies", "-nopause", ...options];
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
  expect(page).toContain("Username or e-mail address");
  expect(page).toContain("Password");
  expect(page).not.toContain("Show");
  expect(page).not.toContain("Caps Lock");
});

test("signs in at the application, without a script", async () => {
  const request = party.request();
  const screens = await runLynx([request.url], [NEXT, ...anna.username, NEXT, ...anna.password, NEXT, ENTER]);
  expect(screens).toContain("Broker Desk");
  expect(callbacks.map(({ searchParams }) => searchParams.get("state"))).toEqual([request.state]);
  const { idToken } = readTokens(await party.exchange(callbacks[0]?.searchParams.get("code") ?? "", request));
  expect((await party.verifyIdToken(idToken)).payload).toMatchObject({ sub: anna.id, nonce: request.nonce });
});

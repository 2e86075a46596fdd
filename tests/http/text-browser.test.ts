import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { requireDebianTool } from "#tests/support/debian-tool.ts";
import { openPlace, type Place } from "#tests/support/relying-parties/place.ts";
import { createRelyingParty, type RelyingParty } from "#tests/support/relying-party.ts";
import { startServer, type TestServer, type TestUser } from "#tests/support/server.ts";

/** Lynx is stopped after this time. */
const TIMEOUT_MS = 30_000;

const ENTER = "^J";
const NEXT = "<tab>";

let server: TestServer;
let place: Place;
let party: RelyingParty;
let anna: TestUser;
let folder: string;
/** URLs that the application received. */
let received: URL[];

beforeAll(async () => {
  [server, place] = await Promise.all([startServer(), openPlace("localhost")]);
  place.serve((request, response) => {
    received.push(new URL(request.url ?? "", place.url));
    response.setHeader("content-type", "text/html").end("<h1>The application</h1>");
  });
  const client = await server.clients.create({ firstParty: true, redirectUris: [`${place.url}/callback`] });
  party = createRelyingParty({ issuer: server.url, client });
  anna = await server.users.create();
});
afterAll(async () => {
  await place?.close();
  await server?.close();
});

beforeEach(() => {
  received = [];
  folder = mkdtempSync(join(tmpdir(), "gatehouse-lynx-"));
  return () => rmSync(folder, { recursive: true });
});

/** Runs Lynx with these options, in a terminal if it is given keys; returns its output. */
async function runLynx(options: readonly string[], keys?: readonly string[]): Promise<string> {
  const { program, env } = requireDebianTool("lynx");
  const config = join(folder, "lynx.cfg");
  // The engine's cookie is for the path of the next request; by default, Lynx asks whether to accept it.
  writeFileSync(config, "COOKIE_LOOSE_INVALID_DOMAINS:localhost\n");
  const args = [`-cfg=${config}`, "-lss=/dev/null", "-accept_all_cookies", ...options];
  const run = promisify(execFile);
  const settings = { env: { ...env, HOME: folder, TERM: "vt100" }, timeout: TIMEOUT_MS };
  if (!keys) return (await run(program, args, settings)).stdout;
  const script = join(folder, "keys");
  writeFileSync(script, [...keys, "Q", "y"].map((key) => `key ${key}\n`).join(""));
  const command = [program, `-cmd_script=${script}`, ...args].map((word) => `'${word}'`).join(" ");
  return (await run("script", ["-qec", command, "/dev/null"], settings)).stdout;
}

test("shows no button that needs a script, and nothing for scripts only", async () => {
  const page = await runLynx(["-dump", "-nolist", party.request().url]);
  expect(page).toContain("Username");
  expect(page).toContain("Password");
  expect(page).not.toContain("Show");
  expect(page).not.toContain("Caps Lock");
});

test("signs a user in", async () => {
  const request = party.request();
  // The first link skips to the content.
  const keys = [NEXT, ...anna.username, NEXT, ...anna.password, NEXT, ENTER];
  await runLynx([request.url], keys);
  const [callback] = received;
  expect(callback?.searchParams.get("state")).toBe(request.state);
  const code = callback?.searchParams.get("code") ?? "";
  const tokens = (await party.exchange(code, request)).json();
  const { payload } = await party.verifyIdToken(String(tokens["id_token"]));
  expect(payload.sub).toBe(anna.id);
});

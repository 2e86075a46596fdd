import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { seedTokens } from "#tests/http/oidc/browser-steps.ts";
import { HINTS, REGISTRATION_URL, startRegistration } from "#tests/http/register/steps.ts";
import { manualBlock } from "#tests/support/manual.ts";
import { createRelyingParty } from "#tests/support/relying-party.ts";
import { serverOfFile } from "#tests/support/server.ts";

const RETURN_URL = "https://desk.example.com/profile";

const run = promisify(execFile);
const server = await serverOfFile();
const anna = await server.users.create();
const client = await server.clients.create({
  ...{ firstParty: true, registrationUrl: REGISTRATION_URL, regHints: ["email", "name"] },
  ...{ mayOpenSettings: true, settingsReturnUris: [RETURN_URL] },
});
const party = createRelyingParty({ issuer: server.url, client });

/** Pastes the commands of a block into bash, with the variables of the application, and returns the response. */
async function paste(commands: string, variables: Readonly<Record<string, string>> = {}): Promise<unknown> {
  const { clientId: CLIENT_ID, clientSecret } = client;
  const own = { ISSUER: server.url, CLIENT_ID, CLIENT_SECRET: clientSecret ?? "", ...variables };
  const { stdout } = await run("bash", ["-euc", commands], { env: { ...process.env, ...own } });
  return JSON.parse(stdout);
}

test("the command that redeems a registration token returns its hints", async () => {
  const token = await startRegistration(server.browser(), party);
  const response = await paste(manualBlock("docs/clients.md: Register users").replace("…", token));
  expect(response).toMatchObject({ hints: { email: HINTS["reg_hints[email]"] }, registration_id: expect.any(String) });
});

test("the command that requests the login settings returns a URL that opens them", async () => {
  const browser = server.browser();
  const { accessToken: ACCESS_TOKEN } = await seedTokens(server, browser, party, party.request(), anna);
  const response = await paste(manualBlock("docs/clients.md: Open the login settings"), { ACCESS_TOKEN });
  expect(response).toEqual({ url: expect.stringContaining("/manage?t="), expires_in: 60 });
  const page = await browser.follow(await browser.get(String(Object(response).url)));
  expect(page.body).toContain(RETURN_URL);
});

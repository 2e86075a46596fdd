import { describe, expect, test } from "vitest";
import { removeClient } from "#app/domain/client/remove.server.ts";
import { setClient } from "#app/domain/client/set.server.ts";
import { withdrawConsents } from "#app/domain/consent/administer.server.ts";
import { seedTokens } from "#tests/http/oidc/browser-steps.ts";
import { eachTest } from "#tests/support/each-test.ts";
import { createRelyingParty } from "#tests/support/relying-party.ts";
import { serverOfFile } from "#tests/support/server.ts";
import { callWith, createChain } from "./api.ts";
import { TOKEN_CALL } from "./steps.ts";

const server = await serverOfFile();
const { context } = server;
const office = await server.groups.create();

/** An application that the user allowed, with a chain of calls and a `t` that nothing has used yet. */
const at = eachTest(async () => {
  const client = await server.clients.create({ mayOpenSettings: true });
  const party = createRelyingParty({ issuer: server.url, client });
  const anna = await server.users.create();
  const browser = server.browser();
  const { accessToken } = await seedTokens(server, browser, party, party.request(), anna);
  const settingsUrl = async () => {
    const response = await party.post(TOKEN_CALL, { access_token: accessToken });
    return String(response.json().url);
  };
  const tokenOf = (url: string) => new URL(url).searchParams.get("t") ?? "";
  const chain = createChain(server, tokenOf(await settingsUrl()));
  expect((await chain.get("userinfo")).status).toBe(200);
  return { anna, browser, clientId: client.clientId, chain, unused: tokenOf(await settingsUrl()) };
});

const ENDINGS: [string, () => Promise<unknown>][] = [
  ["is removed", () => removeClient(context, at.clientId)],
  ["may not open the settings any more", () => setClient(context, at.clientId, { mayOpenSettings: false })],
  ["is closed for the user", () => setClient(context, at.clientId, { allowGroups: [office.name] })],
  ["loses the user's consent", () => withdrawConsents(context, { username: at.anna.username })],
];

describe.each(ENDINGS)("an application that %s", (_what, end) => {
  test("makes no further call of the settings API", async () => {
    await end();
    const response = await at.chain.post("mfa-init-totp");
    expect([response.status, response.error()]).toEqual([401, "unauthorized"]);
  });

  test("starts no calls with a token that it did not use before", async () => {
    await end();
    expect((await callWith(server, at.unused, "userinfo")).status).toBe(401);
  });
});

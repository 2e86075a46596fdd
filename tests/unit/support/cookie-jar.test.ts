import { afterEach, describe, expect, it, vi } from "vitest";
import { createCookieJar, parseSetCookie } from "#tests/support/cookie-jar.ts";

const page = new URL("http://localhost:3000/login/native");

afterEach(() => {
  vi.useRealTimers();
});

describe("the cookie jar of the tests", () => {
  it("reads every attribute", () => {
    expect(parseSetCookie("a=b=c; Path=/login; HttpOnly; Secure; SameSite=Lax", page)).toEqual({
      name: "a",
      value: "b=c",
      host: "localhost",
      path: "/login",
      expiresAtMs: null,
      httpOnly: true,
      secure: true,
      sameSite: "lax",
    });
  });

  it("sends a cookie below its path only, longer paths first", () => {
    const jar = createCookieJar();
    jar.take(page, ["all=1; Path=/", "deep=2; Path=/login", "own=3"]);
    expect(jar.header(new URL("http://localhost:3000/login/native"))).toBe("deep=2; own=3; all=1");
    expect(jar.header(new URL("http://localhost:3000/loginx"))).toBe("all=1");
  });

  it("sends nothing to another host, but to another port of the same", () => {
    const jar = createCookieJar();
    jar.take(page, ["a=1; Path=/"]);
    expect(jar.header(new URL("http://127.0.0.1:3000/"))).toBeNull();
    expect(jar.header(new URL("http://localhost:3001/"))).toBe("a=1");
  });

  it("replaces a cookie and lets the server remove it", () => {
    const jar = createCookieJar();
    jar.take(page, ["a=1; Path=/"]);
    jar.take(page, ["a=2; Path=/"]);
    expect(jar.find("a")?.value).toBe("2");
    jar.take(page, ["a=; Path=/; Expires=Thu, 01 Jan 1970 00:00:00 GMT"]);
    expect(jar.all()).toEqual([]);
  });

  it("removes a cookie when it expires", () => {
    vi.useFakeTimers({ toFake: ["Date"], now: new Date("2026-01-01T12:00:00Z") });
    const jar = createCookieJar();
    jar.take(page, ["a=1; Path=/; Max-Age=60"]);
    vi.setSystemTime(new Date("2026-01-01T12:00:59Z"));
    expect(jar.header(page)).toBe("a=1");
    vi.setSystemTime(new Date("2026-01-01T12:01:00Z"));
    expect(jar.header(page)).toBeNull();
  });

  it("a copy lives its own life", () => {
    const jar = createCookieJar();
    jar.take(page, ["a=1; Path=/"]);
    const thief = jar.copy();
    jar.clear();
    expect(jar.header(page)).toBeNull();
    expect(thief.header(page)).toBe("a=1");
  });
});

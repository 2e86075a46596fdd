import { afterEach, describe, expect, it } from "vitest";
import { startStack, type TestStack } from "./test-stack.ts";

const KNOWN = "A".repeat(43);

describe("the browser cookie", () => {
  let stack: TestStack;
  afterEach(() => stack.close());

  it("is set with the first page, for 400 days, HttpOnly", async () => {
    stack = await startStack();
    const { headers, body } = await stack.send("/login");
    const { browser } = JSON.parse(body).facts;
    expect(headers["set-cookie"]).toEqual([
      `gatehouse_browser=${browser}; Max-Age=34560000; Path=/; HttpOnly; SameSite=Lax`,
    ]);
  });

  it("is bound to the host on https", async () => {
    stack = await startStack({ issuer: "https://id.example" });
    const { headers, body } = await stack.send("/login");
    const { browser } = JSON.parse(body).facts;
    expect(headers["set-cookie"]).toEqual([
      `__Host-gatehouse_browser=${browser}; Max-Age=34560000; Path=/; HttpOnly; Secure; SameSite=Lax`,
    ]);
  });

  it("is random: 200 browsers, 200 values, none starts like another", async () => {
    stack = await startStack();
    const starts = new Set<string>();
    for (let i = 0; i < 200; i++) starts.add(JSON.parse((await stack.send("/")).body).facts.browser.slice(0, 8));
    expect(starts.size).toBe(200);
  });

  it("is kept when the browser sends it", async () => {
    stack = await startStack();
    const { headers, body } = await stack.send("/login", { headers: { cookie: `a=b; gatehouse_browser=${KNOWN}` } });
    expect(headers["set-cookie"]).toBeUndefined();
    expect(JSON.parse(body).facts.browser).toBe(KNOWN);
  });

  it("is replaced when its value is not one of ours", async () => {
    stack = await startStack();
    for (const value of ["", "short", "x".repeat(44), `${"x".repeat(42)}!`, `"${"x".repeat(41)}"`]) {
      const { headers, body } = await stack.send("/login", { headers: { cookie: `gatehouse_browser=${value}` } });
      expect(headers["set-cookie"]?.[0], value).toContain(`gatehouse_browser=${JSON.parse(body).facts.browser};`);
    }
  });

  it("is not accepted under the name without prefix on https, where subdomains could set it", async () => {
    stack = await startStack({ issuer: "https://id.example" });
    const { body } = await stack.send("/login", { headers: { cookie: `gatehouse_browser=${KNOWN}` } });
    expect(JSON.parse(body).facts.browser).not.toBe(KNOWN);
  });

  it("is set by the engine's pages too, and passed to the engine", async () => {
    stack = await startStack({
      engine: (_request, response, engineRequest) => void response.end(engineRequest.browser),
    });
    for (const path of ["/oauth2/auth?client_id=demo", "/oauth2/auth/some-interaction", "/oauth2/sessions/logout"]) {
      const { headers, body } = await stack.send(path);
      expect(headers["set-cookie"]?.[0], path).toContain(`gatehouse_browser=${body};`);
    }
  });

  it("is not set for programs, files and probes", async () => {
    stack = await startStack();
    for (const path of ["/.well-known/jwks.json", "/userinfo", "/favicon.svg", "/healthz", "/readyz"]) {
      expect((await stack.send(path)).headers["set-cookie"], path).toBeUndefined();
    }
    expect((await stack.send("/oauth2/token", { method: "POST" })).headers["set-cookie"]).toBeUndefined();
  });

  it("is not replaced by a POST from another site, which is sent without the cookie", async () => {
    stack = await startStack();
    const headers = { origin: "https://app.example", "content-type": "application/x-www-form-urlencoded" };
    for (const path of ["/oauth2/auth", "/oauth2/sessions/logout", "/login/native"]) {
      const response = await stack.send(path, { method: "POST", headers, body: "client_id=demo" });
      expect(response.headers["set-cookie"], path).toBeUndefined();
    }
  });

  it("is set by a form of our own without the cookie", async () => {
    stack = await startStack();
    const response = await stack.send("/login/native", { method: "POST", headers: { origin: stack.issuer } });
    expect(response.headers["set-cookie"]).toHaveLength(1);
  });
});

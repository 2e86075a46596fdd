import { afterEach, describe, expect, it } from "vitest";
import { startEdge, type TestEdge } from "./test-stack.ts";

const KNOWN = "A".repeat(43);

describe("the browser cookie", () => {
  let edge: TestEdge;
  afterEach(() => edge.close());

  it("is given with the first page, for 400 days, out of reach of scripts", async () => {
    edge = await startEdge();
    const { headers, body } = await edge.send("/login");
    const { browser } = JSON.parse(body).facts;
    expect(headers["set-cookie"]).toEqual([
      `gatehouse_browser=${browser}; Path=/; Max-Age=34560000; HttpOnly; SameSite=Lax`,
    ]);
  });

  it("belongs to this very host on https", async () => {
    edge = await startEdge({ issuer: "https://id.example" });
    const { headers, body } = await edge.send("/login");
    const { browser } = JSON.parse(body).facts;
    expect(headers["set-cookie"]).toEqual([
      `__Host-gatehouse_browser=${browser}; Path=/; Max-Age=34560000; HttpOnly; SameSite=Lax; Secure`,
    ]);
  });

  it("is random: 200 browsers, 200 values, none starts like another", async () => {
    edge = await startEdge();
    const starts = new Set<string>();
    for (let i = 0; i < 200; i++) starts.add(JSON.parse((await edge.send("/")).body).facts.browser.slice(0, 8));
    expect(starts.size).toBe(200);
  });

  it("is kept when the browser brings it", async () => {
    edge = await startEdge();
    const { headers, body } = await edge.send("/login", { headers: { cookie: `a=b; gatehouse_browser=${KNOWN}` } });
    expect(headers["set-cookie"]).toBeUndefined();
    expect(JSON.parse(body).facts.browser).toBe(KNOWN);
  });

  it("is replaced when its value is not one of ours", async () => {
    edge = await startEdge();
    for (const value of ["", "short", "x".repeat(44), `${"x".repeat(42)}!`, `"${"x".repeat(41)}"`]) {
      const { headers, body } = await edge.send("/login", { headers: { cookie: `gatehouse_browser=${value}` } });
      expect(headers["set-cookie"]?.[0], value).toContain(`gatehouse_browser=${JSON.parse(body).facts.browser};`);
    }
  });

  it("is not taken from the name without prefix on https, where subdomains could set it", async () => {
    edge = await startEdge({ issuer: "https://id.example" });
    const { body } = await edge.send("/login", { headers: { cookie: `gatehouse_browser=${KNOWN}` } });
    expect(JSON.parse(body).facts.browser).not.toBe(KNOWN);
  });

  it("is given by the engine's pages too, and the engine knows it", async () => {
    edge = await startEdge({ engine: (_request, response, facts) => void response.end(facts.browser) });
    for (const path of ["/oauth2/auth?client_id=demo", "/oauth2/auth/some-interaction", "/oauth2/sessions/logout"]) {
      const { headers, body } = await edge.send(path);
      expect(headers["set-cookie"]?.[0], path).toContain(`gatehouse_browser=${body};`);
    }
  });

  it("is not given to programs, files and probes", async () => {
    edge = await startEdge();
    for (const path of ["/.well-known/jwks.json", "/userinfo", "/favicon.svg", "/healthz", "/readyz"]) {
      expect((await edge.send(path)).headers["set-cookie"], path).toBeUndefined();
    }
    expect((await edge.send("/oauth2/token", { method: "POST" })).headers["set-cookie"]).toBeUndefined();
  });

  it("is not replaced by a POST from another site, which comes without it though the browser has it", async () => {
    edge = await startEdge();
    const headers = { origin: "https://app.example", "content-type": "application/x-www-form-urlencoded" };
    for (const path of ["/oauth2/auth", "/oauth2/sessions/logout", "/login/native"]) {
      const answer = await edge.send(path, { method: "POST", headers, body: "client_id=demo" });
      expect(answer.headers["set-cookie"], path).toBeUndefined();
    }
  });

  it("is given by a form of our own that comes without it", async () => {
    edge = await startEdge();
    const answer = await edge.send("/login/native", { method: "POST", headers: { origin: edge.issuer } });
    expect(answer.headers["set-cookie"]).toHaveLength(1);
  });
});

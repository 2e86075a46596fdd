import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startStack, type TestStack } from "./test-stack.ts";

describe("the host check", () => {
  let stack: TestStack;
  beforeAll(async () => {
    stack = await startStack({ issuer: "https://id.example", readiness: [] });
  });
  afterAll(() => stack.close());

  it("accepts the issuer's host, also with the port of its scheme and in capitals", async () => {
    for (const host of ["id.example", "id.example:443", "ID.example"]) {
      expect((await stack.send("/login", { headers: { host } })).status, host).toBe(200);
    }
  });

  it("responds 421 for any other host, on pages, files and the engine's paths", async () => {
    for (const host of ["evil.example", "id.example:80", "id.example.", "127.0.0.1", "id.example@evil.example"]) {
      for (const path of ["/login", "/favicon.svg", "/.well-known/openid-configuration", "/oauth2/token"]) {
        expect((await stack.send(path, { headers: { host } })).status, `${host} ${path}`).toBe(421);
      }
    }
  });

  it("shows the fallback page with the issuer and the reference, and not the wrong host", async () => {
    const { body, headers } = await stack.send("/login", { headers: { host: "evil.example" } });
    expect(headers["content-type"]).toBe("text/html; charset=utf-8");
    expect(body).toContain("Wrong address");
    expect(body).toContain('<div lang="de">');
    expect(body).toContain('href="https://id.example/"');
    expect(body).toMatch(/<code>[0-9a-z]{4}-[0-9a-z]{4}<\/code>/);
    expect(body).not.toContain("evil.example");
  });

  it("responds to health probes for any host", async () => {
    expect((await stack.send("/healthz", { headers: { host: "10.0.0.7:3000" } })).status).toBe(200);
    expect((await stack.send("/readyz", { headers: { host: "10.0.0.7:3000" } })).status).toBe(200);
  });
});

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

  it("leads to the right host, and repeats neither the wrong one nor the path, which may contain a token", async () => {
    const path = "/password/reset?token=SECRET";
    const { body, headers } = await stack.send(path, { headers: { host: "evil.example" } });
    expect(headers["content-type"]).toBe("text/html; charset=utf-8");
    expect(headers["cache-control"]).toBe("no-store");
    expect(headers["content-security-policy"]).toContain("style-src 'sha256-");
    expect(headers).not.toHaveProperty("set-cookie");
    expect(body).toContain("Wrong address");
    expect(body).toContain('href="https://id.example/"');
    expect(body).toMatch(/<code>[0-9a-z]{4}-[0-9a-z]{4}<\/code>/);
    expect(body).not.toMatch(/evil\.example|SECRET|password/);
  });

  it.each([
    ["of the browser", "/login", { "accept-language": "fr, de-AT;q=0.8, en;q=0.5" }, "de"],
    ["of the URL", "/login?lng=de_DE", {}, "de"],
    ["of the URL, whose path is none", "//?lng=de", {}, "de"],
    ["of the application", "/oauth2/auth?client_id=x&ui_locales=fr%20de_DE", {}, "de"],
    ["of the cookie", "/oauth2/auth?client_id=x&ui_locales=de", { cookie: "i18next=en" }, "en"],
    ["of the installation", "/login", { "accept-language": "fr" }, "en"],
  ])("speaks the language %s", async (_name, path, headers, language) => {
    const response = await stack.send(path, { headers: { ...headers, host: "evil.example" } });
    expect(response.status).toBe(421);
    expect(response.headers["content-language"]).toBe(language);
    expect(response.body).toContain(`<html lang="${language}"`);
    expect(response.headers).not.toHaveProperty("set-cookie");
  });

  it("responds to programs in JSON", async () => {
    for (const path of ["/api/v1/rpc/user/manage/userinfo", "/oauth2/token", "/.well-known/openid-configuration"]) {
      const { status, headers, body } = await stack.send(path, { headers: { host: "evil.example" } });
      const error_description = "The request was sent to another host. The issuer is https://id.example";
      expect([status, JSON.parse(body)], path).toEqual([421, { error: "bad request", error_description }]);
      expect(headers["cache-control"], path).toBe("no-store");
    }
  });

  it("responds to health probes for any host", async () => {
    expect((await stack.send("/healthz", { headers: { host: "10.0.0.7:3000" } })).status).toBe(200);
    expect((await stack.send("/readyz", { headers: { host: "10.0.0.7:3000" } })).status).toBe(200);
  });
});

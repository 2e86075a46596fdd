import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startStack, type TestStack } from "./test-stack.ts";

describe("the origin check", () => {
  let stack: TestStack;
  beforeAll(async () => {
    stack = await startStack();
  });
  afterAll(() => stack.close());

  const post = (headers: Record<string, string>, method = "POST") =>
    stack.send("/login/native", {
      method,
      headers: { "content-type": "application/x-www-form-urlencoded", ...headers },
      body: "username=anna",
    });

  it("accepts our own forms with their body", async () => {
    const { status, body } = await post({ origin: stack.issuer, "sec-fetch-site": "same-origin" });
    expect(status).toBe(200);
    expect(JSON.parse(body)).toMatchObject({ method: "POST", body: "username=anna" });
  });

  it("accepts a caller without an Origin, unless Sec-Fetch-Site is cross-site", async () => {
    expect((await post({})).status).toBe(200);
    expect((await post({ "sec-fetch-site": "none" })).status).toBe(200);
    expect((await post({ "sec-fetch-site": "cross-site" })).status).toBe(403);
    expect((await post({ "sec-fetch-site": "same-site" })).status).toBe(403);
  });

  it.each([
    "https://evil.example",
    "null",
    "",
    "http://localhost",
    "http://localhost:1",
    "http://localhost.evil.example",
  ])("responds 403 to the origin '%s', for every method", async (origin) => {
    expect((await post({ origin })).status).toBe(403);
    expect((await post({ origin }, "PUT")).status).toBe(403);
    expect((await stack.send("/login/native", { method: "DELETE", headers: { origin } })).status).toBe(403);
  });

  it("renders the error page as a GET without a body, so that no action runs", async () => {
    const { body } = await post({ origin: "https://evil.example" });
    const page = JSON.parse(body);
    expect(page).toMatchObject({ method: "GET", url: `${stack.issuer}/error-page`, body: "" });
    expect(page.facts.failure).toEqual({ status: 403, code: "origin" });
    expect(page.headers).not.toHaveProperty("origin");
  });

  it("responds to a program in JSON", async () => {
    const headers = { origin: "https://evil.example", "content-type": "application/json" };
    const response = await stack.send("/mfa/verify-totp", { method: "POST", headers, body: "{}" });
    expect(response.status).toBe(403);
    expect(JSON.parse(response.body)).toEqual({ error: "origin" });
  });

  it("does not apply to GET and HEAD", async () => {
    expect((await stack.send("/login", { headers: { origin: "https://evil.example" } })).status).toBe(200);
  });

  it("does not apply to the engine's paths: applications call them from any origin", async () => {
    for (const path of ["/oauth2/token", "/userinfo"]) {
      const response = await stack.send(path, { method: "POST", headers: { origin: "https://app.example" } });
      expect(response.body, path).toBe("engine");
    }
  });
});

import { afterEach, describe, expect, it } from "vitest";
import { startStack, type TestStack } from "./test-stack.ts";

describe("the access log", () => {
  let stack: TestStack;
  afterEach(() => stack.close());

  const requests = () => stack.lines().filter((line) => line["msg"] === "request");

  it("has one line per request: reference, method, path, status, time, address", async () => {
    stack = await startStack();
    const { body } = await stack.send("/login");
    expect(requests()).toEqual([
      expect.objectContaining({
        requestId: JSON.parse(body).facts.requestId,
        method: "GET",
        path: "/login",
        status: 200,
        durationMs: expect.any(Number),
        address: "127.0.0.1",
      }),
    ]);
  });

  it("never contains a query, a cookie, a header or a body", async () => {
    stack = await startStack();
    await stack.send("/password-reset/reset-form?reset_token=SECRET", {
      method: "POST",
      headers: {
        cookie: "gatehouse_browser=SECRET; other=SECRET",
        authorization: "Bearer SECRET",
        "user-agent": "SECRET",
        "content-type": "application/x-www-form-urlencoded",
      },
      body: "password=SECRET",
    });
    await stack.send("/oauth2/auth/SECRET?x=SECRET");
    await stack.send("/oauth2/AUTH/SECRET");
    await stack.send("/login?t=SECRET", { method: "POST", headers: { origin: "https://SECRET.example" } });
    expect(requests()).toHaveLength(4);
    expect(JSON.stringify(stack.lines())).not.toContain("SECRET");
  });

  it("contains the refused request, not the error page", async () => {
    stack = await startStack();
    await stack.send("/login/native", { method: "POST", headers: { origin: "null" } });
    await stack.send("/login", { headers: { host: "evil.example" } });
    expect(requests()).toMatchObject([
      { method: "POST", path: "/login/native", status: 403 },
      { method: "GET", path: "/login", status: 421 },
    ]);
  });

  it("cuts endless paths", async () => {
    stack = await startStack();
    await stack.send(`/${"x".repeat(5000)}`);
    expect(String(requests()[0]?.["path"])).toHaveLength(200);
  });

  it("logs probes and assets as debug, and failures as error", async () => {
    stack = await startStack({ pages: () => Promise.reject(new Error("broken")) });
    await stack.send("/healthz");
    await stack.send("/login");
    const [debug, error] = [20, 50];
    expect(requests().map((line) => line["level"])).toEqual([debug, error]);
  });

  it("gives every request its own reference that can be dictated", async () => {
    stack = await startStack();
    const references = new Set<string>();
    for (let i = 0; i < 50; i++) references.add(JSON.parse((await stack.send("/")).body).facts.requestId);
    expect(references.size).toBe(50);
    for (const reference of references) expect(reference).toMatch(/^[0-9a-hjkmnp-tv-z]{4}-[0-9a-hjkmnp-tv-z]{4}$/);
  });
});

import { afterEach, describe, expect, it } from "vitest";
import { startStack, type TestStack } from "./test-stack.ts";

describe("an uncaught error", () => {
  let stack: TestStack;
  afterEach(() => stack.close());

  it("of the engine becomes a page of the product with the reference, and the log has the rest", async () => {
    stack = await startStack({
      engine: () => {
        throw new Error("engine broke");
      },
    });
    const { status, body } = await stack.send("/oauth2/auth?code=SECRET&lng=de");
    const page = JSON.parse(body);
    expect(status).toBe(500);
    expect(page.url).toBe(`${stack.issuer}/error-page?lng=de`);
    expect(page.facts.failure).toEqual({ status: 500, code: "internal" });
    const line = stack.lines().find(({ msg }) => msg === "unexpected error");
    expect(line).toMatchObject({
      requestId: page.facts.requestId,
      path: "/oauth2/auth",
      error: { message: "engine broke" },
    });
    expect(JSON.stringify(stack.lines())).not.toContain("SECRET");
  });

  // Proves requirement 122.
  it("has no interaction id in the log, which is the value of a cookie", async () => {
    stack = await startStack({ engine: () => Promise.reject(new Error("engine broke")) });
    await stack.send("/oauth2/auth/SECRET-UID");
    const line = stack.lines().find(({ msg }) => msg === "unexpected error");
    expect(line).toMatchObject({ path: "/oauth2/auth/…", error: { message: "engine broke" } });
    expect(JSON.stringify(stack.lines())).not.toContain("SECRET-UID");
  });

  it("of the engine has a page in the language that the application asked for, unless the browser chose one", async () => {
    stack = await startStack({ engine: () => Promise.reject(new Error("engine broke")) });
    const path = "/oauth2/auth?client_id=x&ui_locales=fr%20de_DE";
    const urlOf = async (headers = {}) => JSON.parse((await stack.send(path, { headers })).body).url;
    expect(await urlOf()).toBe(`${stack.issuer}/error-page?lng=de`);
    expect(await urlOf({ cookie: "i18next=en" })).toBe(`${stack.issuer}/error-page`);
  });

  it("keeps its status even if the page has 200", async () => {
    stack = await startStack({
      engine: () => Promise.reject(new Error("engine broke")),
      pages: () => new Response("fine"),
    });
    expect((await stack.send("/userinfo")).status).toBe(500);
  });

  it("of the pages, and of the error page, shows the fallback page", async () => {
    stack = await startStack({
      engine: () => Promise.reject(new Error("engine broke")),
      build: () => Promise.reject(new Error("build not found")),
    });
    for (const path of ["/oauth2/auth", "/login"]) {
      const { status, headers, body } = await stack.send(path);
      expect(status, path).toBe(500);
      expect(headers["content-type"], path).toBe("text/html; charset=utf-8");
      expect(body, path).toContain("Internal server error");
      expect(body, path).not.toMatch(/ at |broke|gone/);
    }
    const log = JSON.stringify(stack.lines());
    expect(log).toContain("engine broke");
    expect(log).toContain("build not found");
  });

  it("is reported to a program in JSON", async () => {
    stack = await startStack({ build: () => Promise.reject(new Error("build not found")) });
    const { status, body } = await stack.send("/api/v1/rpc/user/manage/userinfo");
    expect([status, JSON.parse(body)]).toEqual([500, { error: "internal" }]);
  });

  it("does not end the process: the next request succeeds", async () => {
    stack = await startStack({
      engine: () => Promise.reject(new Error("engine broke")),
    });
    await stack.send("/userinfo");
    expect((await stack.send("/login")).status).toBe(200);
  });

  it("after the response has started closes the connection", async () => {
    stack = await startStack({
      engine: (_request, response) => {
        response.write("half a");
        throw new Error("engine broke");
      },
    });
    await expect(stack.send("/userinfo")).rejects.toThrow();
  });
});

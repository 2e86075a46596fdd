import { afterEach, describe, expect, it } from "vitest";
import { startEdge, type TestEdge } from "./test-stack.ts";

describe("an error that nothing has caught", () => {
  let edge: TestEdge;
  afterEach(() => edge.close());

  it("of the engine becomes a page of the product with the reference, and the log has the rest", async () => {
    edge = await startEdge({
      engine: () => {
        throw new Error("engine broke");
      },
    });
    const { status, body } = await edge.send("/oauth2/auth?code=SECRET&lng=de");
    const page = JSON.parse(body);
    expect(status).toBe(500);
    expect(page.url).toBe(`${edge.issuer}/error-page?lng=de`);
    expect(page.facts.failure).toEqual({ status: 500, code: "internal" });
    const line = edge.lines().find(({ msg }) => msg === "unexpected error");
    expect(line).toMatchObject({
      requestId: page.facts.requestId,
      path: "/oauth2/auth",
      error: { message: "engine broke" },
    });
    expect(JSON.stringify(edge.lines())).not.toContain("SECRET");
  });

  it("keeps its status even if the page says 200", async () => {
    edge = await startEdge({
      engine: () => Promise.reject(new Error("engine broke")),
      pages: () => new Response("fine"),
    });
    expect((await edge.send("/userinfo")).status).toBe(500);
  });

  it("of the pages, and of the page for the error, is told by a page that needs nothing", async () => {
    edge = await startEdge({
      engine: () => Promise.reject(new Error("engine broke")),
      build: () => Promise.reject(new Error("build is gone")),
    });
    for (const path of ["/oauth2/auth", "/login"]) {
      const { status, headers, body } = await edge.send(path);
      expect(status, path).toBe(500);
      expect(headers["content-type"], path).toBe("text/html; charset=utf-8");
      expect(body, path).toContain("Internal server error");
      expect(body, path).not.toMatch(/ at |broke|gone/);
    }
    const log = JSON.stringify(edge.lines());
    expect(log).toContain("engine broke");
    expect(log).toContain("build is gone");
  });

  it("is told to a program in JSON", async () => {
    edge = await startEdge({ build: () => Promise.reject(new Error("build is gone")) });
    const { status, body } = await edge.send("/api/v1/rpc/user/manage/userinfo");
    expect([status, JSON.parse(body)]).toEqual([500, { error: "internal" }]);
  });

  it("does not end the process: the next request is answered", async () => {
    edge = await startEdge({
      engine: () => Promise.reject(new Error("engine broke")),
    });
    await edge.send("/userinfo");
    expect((await edge.send("/login")).status).toBe(200);
  });

  it("after the answer has begun cuts the connection instead of pretending that it is whole", async () => {
    edge = await startEdge({
      engine: (_request, response) => {
        response.write("half a");
        throw new Error("engine broke");
      },
    });
    await expect(edge.send("/userinfo")).rejects.toThrow();
  });
});

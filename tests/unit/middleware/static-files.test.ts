import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { STYLE_SHEET, startStack, type TestStack } from "./test-stack.ts";

describe("static files", () => {
  let stack: TestStack;
  beforeAll(async () => {
    stack = await startStack();
  });
  afterAll(() => stack.close());

  it("assets may be cached for a year: their names change with their content", async () => {
    const { status, headers, body } = await stack.send("/assets/page-a1b2c3.css");
    expect(status).toBe(200);
    expect(headers["content-type"]).toBe("text/css; charset=UTF-8");
    expect(headers["cache-control"]).toBe("public, max-age=31536000, immutable");
    expect(body).toBe(STYLE_SHEET);
  });

  it("other files may be cached for an hour", async () => {
    expect((await stack.send("/favicon.svg")).headers["cache-control"]).toBe("public, max-age=3600");
  });

  it("are sent compressed, with their content type, to browsers that accept it", async () => {
    const { headers, body } = await stack.send("/assets/page-a1b2c3.css", {
      headers: { "accept-encoding": "br, gzip" },
    });
    expect(headers).toMatchObject({
      "content-encoding": "gzip",
      "content-type": "text/css; charset=utf-8",
      "cache-control": "public, max-age=31536000, immutable",
      vary: "Accept-Encoding",
    });
    expect(body.length).toBeLessThan(STYLE_SHEET.length / 5);
  });

  it("are sent uncompressed to other clients, with Vary", async () => {
    for (const accepted of ["br", "gzip;q=0", "identity"]) {
      const { headers } = await stack.send("/assets/page-a1b2c3.css", { headers: { "accept-encoding": accepted } });
      expect(headers, accepted).not.toHaveProperty("content-encoding");
      expect(headers.vary, accepted).toBe("Accept-Encoding");
    }
  });

  it("are sent again only when they have changed", async () => {
    const { headers } = await stack.send("/favicon.svg");
    const again = await stack.send("/favicon.svg", { headers: { "if-none-match": String(headers.etag) } });
    expect(again.status).toBe(304);
  });

  it.each([
    "/assets/missing.js",
    "/assets/page-a1b2c3.css.gz",
    "/assets/",
    "/assets/..%2f..%2fedge.sqlite",
    "/../edge.sqlite",
    "/%2e%2e/edge.sqlite",
  ])("%s is not a file: the pages respond", async (path) => {
    const { body, headers } = await stack.send(path);
    expect(JSON.parse(body).method).toBe("GET");
    expect(headers["cache-control"]).toBe("no-store");
  });

  it("pages are never compressed, so that their length does not leak their content", async () => {
    const { headers } = await stack.send(`/${"x".repeat(3000)}`, { headers: { "accept-encoding": "gzip" } });
    expect(headers).not.toHaveProperty("content-encoding");
  });
});

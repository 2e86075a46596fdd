import { afterAll, describe, expect, it, test } from "vitest";
import { engineMethodsOf, PUBLISHED_PATHS } from "#app/middleware/engine-paths.server.ts";
import { ENGINE_ROUTES } from "#app/oidc/paths.ts";
import { startStack } from "./test-stack.ts";

const { authorization, end_session: endSession, ...others } = ENGINE_ROUTES;
const PATHS = [...new Set([...Object.values(others), ...PUBLISHED_PATHS])];

/** The failure of the next request to the engine of the test; null for a response. */
let engineError: Error | null = null;
const stack = await startStack({
  issuer: "https://id.example",
  trustProxy: ["127.0.0.1"],
  engine: (_request, response, { address, browser }) => {
    if (engineError) throw engineError;
    response.end(JSON.stringify({ address, browser }));
  },
});
afterAll(() => stack.close());

describe.each(PATHS)("a program's request to %s", (path) => {
  const [method = ""] = engineMethodsOf(path) ?? [];

  it("reaches the engine with the address of the client, without a browser and a cookie", async () => {
    const { status, body, headers } = await stack.send(path, { method, headers: { "x-forwarded-for": "192.0.2.7" } });
    expect(status).toBe(200);
    expect(JSON.parse(body)).toEqual({ address: "192.0.2.7", browser: "" });
    expect(headers).not.toHaveProperty("set-cookie");
  });

  it("is checked and logged as the pages are, and refused in JSON", async () => {
    const page = await stack.send("/login");
    const { headers } = await stack.send(path, { method });
    for (const name of [
      "x-content-type-options",
      "strict-transport-security",
      "x-frame-options",
      "permissions-policy",
    ]) {
      expect(headers[name], name).toBe(page.headers[name]);
    }
    const wrongHost = await stack.send(path, { method, headers: { host: "evil.example" } });
    expect(wrongHost.status).toBe(421);
    expect(JSON.parse(wrongHost.body)).toMatchObject({ error: "bad request" });
    expect((await stack.send(`${path}?a=%00`, { method })).status).toBe(400);
    expect((await stack.send(path, { method: "TRACE" })).status).toBe(405);
    const logged = stack.lines().filter((line) => line["msg"] === "request" && line["path"] === path);
    expect(logged.map((line) => line["status"])).toEqual(expect.arrayContaining([200, 421, 400, 405]));
  });

  it("ends with server_error, without details, if the engine fails", async () => {
    engineError = new Error("SECRET");
    const { status, body, headers } = await stack.send(path, { method });
    engineError = null;
    expect(status).toBe(500);
    expect(JSON.parse(body)).toEqual({ error: "server_error" });
    expect(headers["cache-control"]).toBe("no-store");
  });
});

test.each([authorization, endSession])("%s is a path for browsers: it gets the browser's cookie", async (path) => {
  expect((await stack.send(path)).headers).toHaveProperty("set-cookie");
});

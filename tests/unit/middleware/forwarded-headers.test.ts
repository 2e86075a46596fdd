import { afterEach, describe, expect, it, onTestFinished } from "vitest";
import { instrumentation } from "#app/domain/audit/instrumentation.server.ts";
import { startStack, type TestStack } from "./test-stack.ts";

const FORGED = {
  "x-forwarded-for": "203.0.113.9",
  "x-forwarded-proto": "http",
  "x-forwarded-host": "evil.example",
  "x-forwarded-port": "81",
  "x-real-ip": "203.0.113.9",
  forwarded: "for=203.0.113.9;host=evil.example",
  "client-cert": ":MIIB:",
  "x-ssl-client-cert": "MIIB",
};

describe("forwarded headers", () => {
  let stack: TestStack;
  afterEach(() => stack.close());

  it("of a stranger are not believed", async () => {
    stack = await startStack();
    const page = JSON.parse((await stack.send("/login", { headers: FORGED })).body);
    expect(page.facts.address).toBe("127.0.0.1");
    expect(page.url).toBe(`${stack.issuer}/login`);
    expect(page.headers).toMatchObject({ "x-forwarded-for": "127.0.0.1", "x-forwarded-proto": "http" });
    for (const name of [
      "x-forwarded-host",
      "x-forwarded-port",
      "x-real-ip",
      "forwarded",
      "client-cert",
      "x-ssl-client-cert",
    ]) {
      expect(page.headers, name).not.toHaveProperty(name);
    }
  });

  it("of a stranger are not believed by the engine either", async () => {
    stack = await startStack({
      engine: (request, response, facts) => void response.end(JSON.stringify({ headers: request.headers, facts })),
    });
    const seen = JSON.parse((await stack.send("/oauth2/token", { method: "POST", headers: FORGED })).body);
    expect(seen.facts.address).toBe("127.0.0.1");
    expect(seen.headers["x-forwarded-for"]).toBe("127.0.0.1");
    expect(seen.headers).not.toHaveProperty("x-forwarded-host");
  });

  it("of a trusted proxy determine the client's address", async () => {
    stack = await startStack({ trustProxy: ["127.0.0.0/8", "10.0.0.0/24"] });
    const headers = { "x-forwarded-for": "6.6.6.6, 203.0.113.9, 10.0.0.3", "x-forwarded-host": "evil.example" };
    const page = JSON.parse((await stack.send("/login", { headers })).body);
    expect(page.facts.address).toBe("203.0.113.9");
    expect(page.headers).not.toHaveProperty("x-forwarded-host");
  });

  it("of a trusted proxy without an address leave the proxy's address", async () => {
    stack = await startStack({ trustProxy: ["127.0.0.1"] });
    const page = JSON.parse((await stack.send("/login", { headers: { "x-forwarded-for": "<unknown>" } })).body);
    expect(page.facts.address).toBe("127.0.0.1");
  });

  it("of a trusted proxy that contain no address are logged once and counted each time, without the value", async () => {
    let counted = 0;
    instrumentation.on("unreadable client address", () => {
      counted += 1;
    });
    onTestFinished(() => void instrumentation.removeAllListeners());
    stack = await startStack({ trustProxy: ["127.0.0.1"] });
    const sendFrom = (address: string) => stack.send("/login", { headers: { "x-forwarded-for": address } });
    for (const address of ["secret-1", "secret-2:80", "203.0.113.8:51234", "203.0.113.8"]) await sendFrom(address);
    expect(counted).toBe(2);
    const warnings = stack.lines().filter(({ event }) => event === "client-address.unreadable");
    expect(warnings).toMatchObject([{ level: 40, proxy: "127.0.0.1" }]);
    expect(JSON.stringify(stack.lines())).not.toContain("secret");
  });

  it("of a stranger are neither logged nor counted", async () => {
    let counted = 0;
    instrumentation.on("unreadable client address", () => {
      counted += 1;
    });
    onTestFinished(() => void instrumentation.removeAllListeners());
    stack = await startStack({ trustProxy: ["10.0.0.1"] });
    await stack.send("/login", { headers: { "x-forwarded-for": "nonsense" } });
    expect(counted).toBe(0);
    expect(stack.lines().filter(({ event }) => event === "client-address.unreadable")).toEqual([]);
  });

  it("do not change the scheme: pages and engine get the issuer's", async () => {
    stack = await startStack({ issuer: "https://id.example" });
    const page = JSON.parse((await stack.send("/login", { headers: { "x-forwarded-proto": "http" } })).body);
    expect(page.url).toBe("https://id.example/login");
    expect(page.headers["x-forwarded-proto"]).toBe("https");
  });
});

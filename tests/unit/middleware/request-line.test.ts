import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startStack, type TestStack } from "./test-stack.ts";

describe("the request line", () => {
  let stack: TestStack;
  beforeAll(async () => {
    stack = await startStack();
  });
  afterAll(() => stack.close());

  it.each(["/%", "/login/%zz", "/%ff", "/%c3%28", "/a%00b", "/login?next=%00", "/..\\etc", "/assets/%2"])(
    "responds 400 to %s",
    async (path) => {
      const { status, body } = await stack.send(path);
      expect(status).toBe(400);
      expect(JSON.parse(body).facts.failure).toEqual({ status: 400, code: "bad request" });
    },
  );

  it("responds 400 to a URL instead of a path", async () => {
    const response = await new Promise<string>((resolve) => {
      const request = `GET http://evil.example/login HTTP/1.1\r\nHost: localhost:${stack.port}\r\nConnection: close\r\n\r\n`;
      const socket = connect(stack.port, "127.0.0.1", () => socket.write(request));
      socket.once("data", (chunk) => resolve(String(chunk)));
    });
    expect(response).toMatch(/^HTTP\/1\.1 400 /);
  });

  it("accepts any query of applications", async () => {
    expect((await stack.send("/oauth2/auth?state=100%&x=%ff")).body).toBe("engine");
    expect((await stack.send("/login/m%C3%BCller?a=%zz")).status).toBe(200);
  });

  it("responds 405 to unknown methods, with Allow", async () => {
    for (const method of ["TRACE", "PATCH", "PROPFIND", "OPTIONS"]) {
      const { status, headers } = await stack.send("/login", { method });
      expect(status, method).toBe(405);
      expect(headers.allow).toBe("GET, HEAD, POST, PUT, DELETE");
    }
  });

  it("ignores a method in a header or a field", async () => {
    const headers = { "x-http-method-override": "DELETE", "content-type": "application/x-www-form-urlencoded" };
    const { body } = await stack.send("/login?_method=DELETE", { method: "POST", headers, body: "_method=DELETE" });
    expect(JSON.parse(body).method).toBe("POST");
  });

  it("passes CORS preflight requests to the engine", async () => {
    const headers = { origin: "https://desk.example", "access-control-request-method": "POST" };
    expect((await stack.send("/oauth2/token", { method: "OPTIONS", headers })).body).toBe("engine");
    expect((await stack.send("/oauth2/token", { method: "OPTIONS" })).status).toBe(405);
  });

  it("does not treat a path in capitals as the engine's", async () => {
    expect((await stack.send("/OAuth2/auth")).body).not.toBe("engine");
  });
});

import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startEdge, type TestEdge } from "./test-stack.ts";

describe("the request line", () => {
  let edge: TestEdge;
  beforeAll(async () => {
    edge = await startEdge();
  });
  afterAll(() => edge.close());

  it.each(["/%", "/login/%zz", "/%ff", "/%c3%28", "/a%00b", "/login?next=%00", "/..\\etc", "/assets/%2"])(
    "answers 400 to %s",
    async (path) => {
      const { status, body } = await edge.send(path);
      expect(status).toBe(400);
      expect(JSON.parse(body).facts.failure).toEqual({ status: 400, code: "bad request" });
    },
  );

  it("answers 400 to an address instead of a path", async () => {
    const answer = await new Promise<string>((resolve) => {
      const request = `GET http://evil.example/login HTTP/1.1\r\nHost: localhost:${edge.port}\r\nConnection: close\r\n\r\n`;
      const socket = connect(edge.port, "127.0.0.1", () => socket.write(request));
      socket.once("data", (chunk) => resolve(String(chunk)));
    });
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
  });

  it("leaves what applications put into queries alone", async () => {
    expect((await edge.send("/oauth2/auth?state=100%&x=%ff")).body).toBe("engine");
    expect((await edge.send("/login/m%C3%BCller?a=%zz")).status).toBe(200);
  });

  it("answers 405 to methods that nothing here knows, and names those that something does", async () => {
    for (const method of ["TRACE", "PATCH", "PROPFIND", "OPTIONS"]) {
      const { status, headers } = await edge.send("/login", { method });
      expect(status, method).toBe(405);
      expect(headers.allow).toBe("GET, HEAD, POST, PUT, DELETE");
    }
  });

  it("ignores a method in a header or a field", async () => {
    const headers = { "x-http-method-override": "DELETE", "content-type": "application/x-www-form-urlencoded" };
    const { body } = await edge.send("/login?_method=DELETE", { method: "POST", headers, body: "_method=DELETE" });
    expect(JSON.parse(body).method).toBe("POST");
  });

  it("leaves the CORS questions of browsers to the engine", async () => {
    expect((await edge.send("/oauth2/token", { method: "OPTIONS" })).body).toBe("engine");
  });

  it("does not take a path in capitals for the engine's", async () => {
    expect((await edge.send("/OAuth2/auth")).body).not.toBe("engine");
  });
});

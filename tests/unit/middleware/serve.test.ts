import { connect } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { startStack, type TestStack } from "./test-stack.ts";

/** Creates a promise with its resolver. */
function signal() {
  let give = () => {};
  const given = new Promise<void>((resolve) => {
    give = resolve;
  });
  return { given, give };
}

describe("the server", () => {
  let stack: TestStack | null = null;
  afterEach(async () => {
    await stack?.close();
    stack = null;
  });

  it("finishes open requests before it stops, and accepts no new ones", async () => {
    const [started, mayEnd] = [signal(), signal()];
    const ending = await startStack({
      engine: async (_request, response) => {
        started.give();
        await mayEnd.given;
        response.end("whole");
      },
    });
    const response = ending.send("/userinfo");
    await started.given;
    const closed = ending.close();
    await expect(ending.send("/login")).rejects.toThrow("ECONNREFUSED");
    mayEnd.give();
    expect((await response).body).toBe("whole");
    await closed;
  });

  it("does not wait for idle keep-alive connections", async () => {
    const ending = await startStack();
    const socket = connect(ending.port, "127.0.0.1");
    socket.write(`GET /healthz HTTP/1.1\r\nHost: localhost:${ending.port}\r\n\r\n`);
    await new Promise((resolve) => socket.once("data", resolve));
    const ended = new Promise((resolve) => socket.once("close", resolve));
    const startedAt = performance.now();
    await ending.close();
    await ended;
    expect(performance.now() - startedAt).toBeLessThan(1000);
  });

  it("rejects when the port is in use", async () => {
    stack = await startStack();
    await expect(startStack({ port: stack.port })).rejects.toThrow("EADDRINUSE");
  });

  it("accepts the long request line that follows an authorization request by POST", async () => {
    stack = await startStack();
    expect((await stack.send(`/oauth2/auth?request=${"x".repeat(56_000)}`)).body).toBe("engine");
    expect((await stack.send(`/oauth2/auth?request=${"x".repeat(70_000)}`)).status).toBe(431);
  });
});

import { connect } from "node:net";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startStack, type TestStack } from "./test-stack.ts";

describe("the body limit", () => {
  let stack: TestStack;
  beforeAll(async () => {
    stack = await startStack();
  });
  afterAll(() => stack.close());

  /** Returns the size of all live buffers, after garbage collection. */
  function bufferBytes(): number {
    setFlagsFromString("--expose-gc");
    runInNewContext("gc")();
    return process.memoryUsage().arrayBuffers;
  }

  const post = (body: string | Uint8Array, headers: Record<string, string> = {}, path = "/login/native") =>
    stack.send(path, {
      method: "POST",
      headers: { "content-type": "application/x-www-form-urlencoded", ...headers },
      body,
    });

  it("accepts 64 KiB", async () => {
    const { status, body } = await post("x".repeat(65_536));
    expect(status).toBe(200);
    expect(JSON.parse(body).body).toHaveLength(65_536);
  });

  it("responds 413 to one byte more, without an action", async () => {
    const { status, body } = await post("x".repeat(65_537));
    expect(status).toBe(413);
    expect(JSON.parse(body)).toMatchObject({ method: "GET", facts: { failure: { status: 413, code: "bad request" } } });
  });

  it("responds to 10 MB and buffers nothing", async () => {
    const bomb = Buffer.alloc(10 * 1024 * 1024, "a");
    await post(bomb);
    const before = bufferBytes();
    const growths: number[] = [];
    for (let attempt = 0; attempt < 5; attempt++) {
      expect((await post(bomb)).status).toBe(413);
      growths.push(bufferBytes() - before);
    }
    // The smallest growth, because the client's own buffers are in this process and freed later.
    expect(Math.min(...growths)).toBeLessThan(5 * 1024 * 1024);
  });

  it("responds to a length of 1 TB before the body arrives", async () => {
    const head = [
      "POST /login/native HTTP/1.1",
      `Host: localhost:${stack.port}`,
      "Content-Length: 1000000000000",
      "Connection: close",
    ];
    const response = await new Promise<string>((resolve, reject) => {
      const socket = connect(stack.port, "127.0.0.1", () => socket.write(`${head.join("\r\n")}\r\n\r\n`));
      socket.once("data", (chunk) => {
        socket.destroy();
        resolve(String(chunk));
      });
      socket.once("error", reject);
    });
    expect(response).toMatch(/^HTTP\/1\.1 413 /);
  });

  it("responds 411 to a body without a length", async () => {
    expect((await post("x", { "transfer-encoding": "chunked" })).status).toBe(411);
  });

  it("does not apply to the engine's paths", async () => {
    expect((await post("x".repeat(70_000), {}, "/oauth2/token")).body).toBe("engine");
    expect((await post("x", { "transfer-encoding": "chunked" }, "/oauth2/token")).body).toBe("engine");
  });
});

import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import { connect } from "node:net";
import { describe, expect, it } from "vitest";
import { expectConsole, forbidNetwork, openHandles, watchConsole } from "#tests/support/unexpected.ts";

describe("unexpected events", () => {
  it("console.error and console.warn are remembered as lines", () => {
    const noise = watchConsole();
    console.error("broken: %s", "pipe");
    console.warn("old");
    expect(noise.take()).toEqual(["console.error: broken: pipe", "console.warn: old"]);
    expect(noise.take()).toEqual([]);
  });

  it("an expected line is allowed, for one test only", () => {
    const noise = watchConsole();
    expectConsole(/^broken/);
    console.error("broken pipe");
    expect(noise.take()).toEqual([]);
    console.error("broken pipe");
    expect(noise.take()).toEqual(["console.error: broken pipe"]);
  });

  it("a connection to another machine fails at once", async () => {
    const network = forbidNetwork();
    const socket = connect({ host: "gatehouse.example", port: 443 });
    const [error] = await once(socket, "error");
    expect(String(error)).toContain("a connection to gatehouse.example");
    await expect(fetch("http://203.0.113.7/")).rejects.toThrow("fetch failed");
    expect(network.take()).toEqual([
      "network: a connection to gatehouse.example",
      "network: a connection to 203.0.113.7",
    ]);
  });

  it("a connection to this machine works, by every name it has", async () => {
    const network = forbidNetwork();
    const server = createServer((_request, response) => response.end("here"));
    await once(server.listen(0), "listening");
    const address = server.address();
    const port = typeof address === "object" ? address?.port : undefined;
    for (const host of ["localhost", "127.0.0.1"]) {
      const response = await fetch(`http://${host}:${port}/`);
      expect(await response.text()).toBe("here");
    }
    server.close();
    server.closeAllConnections();
    await once(server, "close");
    expect(network.take()).toEqual([]);
  });

  it("a server and a child process count as open until they have ended", async () => {
    // A handle is released shortly after its "close" event.
    const held = () => expect.poll(openHandles, { interval: 10 });
    await held().toEqual([]);
    const server = createServer();
    await once(server.listen(0), "listening");
    await held().toEqual(["a server that listens"]);
    server.close();
    await held().toEqual([]);
    const child = spawn(process.execPath, ["-e", "setTimeout(() => {}, 60_000)"]);
    await held().toEqual(["a child process that runs"]);
    child.kill("SIGKILL");
    await held().toEqual([]);
  });
});

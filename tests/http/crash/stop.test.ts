import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type OpenForm, openForm } from "#tests/http/login/open-form.ts";
import { createBrowser } from "#tests/support/browser-jar.ts";
import { type ChildServer, startChildServer } from "#tests/support/child-server.ts";
import { createRelyingParty } from "#tests/support/relying-party.ts";
import { TEST_PASSWORD } from "#tests/support/server.ts";
import { addClient, addUser, databaseOfRun } from "./command.ts";

const SIGN_INS = 8;

let server: ChildServer;
let database: Awaited<ReturnType<typeof databaseOfRun>>;

beforeEach(async () => {
  database = await databaseOfRun();
  server = await startChildServer({ env: database.env });
}, 60_000);

afterEach(async () => {
  await server?.remove();
  await database?.remove();
});

/** Sends only these lines of a request. */
async function beginRequest(lines: readonly string[]) {
  const { hostname, port, host } = new URL(server.url);
  const socket = connect({ host: hostname, port: Number(port) });
  socket.on("error", () => {});
  const responded = new Promise<string>((resolve) => {
    let text = "";
    socket.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk;
    });
    socket.on("close", () => resolve(text));
  });
  const [line = "", ...others] = lines;
  socket.write([line, `Host: ${host}`, ...others, ""].join("\r\n"));
  // After a complete request on another connection, the earlier bytes have arrived.
  await newBrowser().get("/healthz");
  return { socket, answered: responded };
}

/** Sends SIGTERM and waits until the server has logged it. */
async function sendStopSignal() {
  server.signal("SIGTERM");
  await expect.poll(() => server.output(), { timeout: 20_000 }).toContain("shutting down");
}

const newBrowser = () => createBrowser({ base: server.url });

describe("a server that receives a stop signal", () => {
  test("finishes sign-ins in progress and exits without an error", async () => {
    const party = createRelyingParty({ issuer: server.url, client: await addClient(server, "suite") });
    const forms: OpenForm[] = [];
    for (let count = 0; count < SIGN_INS; count += 1) {
      // One user each, because at most two passwords per account may wait for hashing.
      await addUser(server, { username: `anna-${count}`, password: TEST_PASSWORD });
      forms.push(await openForm(newBrowser(), party.request().url));
    }
    const posting = forms.map((form, index) => form.post({ username: `anna-${index}`, password: TEST_PASSWORD }));
    // This request was sent after them, so they have arrived.
    expect((await newBrowser().get("/healthz")).status).toBe(200);
    const code = await server.stop();
    expect((await Promise.all(posting)).map(({ status }) => status)).toEqual(Array(SIGN_INS).fill(303));
    expect(code).toBe(0);
    expect(server.output()).toContain("shutting down");
    expect(server.output()).not.toMatch(/"level":(50|60)/);
  });

  test("waits for a form that is still being sent", async () => {
    const { hostname, port, host } = new URL(server.url);
    const body = "username=anna&password=x";
    const socket = connect({ host: hostname, port: Number(port) });
    const responded = new Promise<string>((resolve) => {
      let text = "";
      socket.setEncoding("utf8").on("data", (chunk: string) => {
        text += chunk;
      });
      socket.on("close", () => resolve(text));
    });
    const head = [
      "POST /login/native HTTP/1.1",
      `Host: ${host}`,
      `Origin: ${server.url}`,
      "Content-Type: application/x-www-form-urlencoded",
      `Content-Length: ${body.length}`,
    ];
    socket.write(`${head.join("\r\n")}\r\n\r\n${body.slice(0, 10)}`);
    await sleep(200);
    const stopping = server.stop();
    await sleep(200);
    socket.write(body.slice(10));
    expect(await responded).toMatch(/^HTTP\/1\.1 400 /);
    expect(await stopping).toBe(0);
  });

  test("is no longer ready, and closes each connection after its response", async () => {
    const { socket, answered: responded } = await beginRequest(["GET /readyz HTTP/1.1"]);
    await sendStopSignal();
    socket.write("\r\n");
    const response = await responded;
    expect(response).toMatch(/^HTTP\/1\.1 503 /);
    expect(response).toMatch(/\r\nConnection: close\r\n/i);
    expect(response).toContain('"serving":"failed"');
    expect(await server.ended()).toBe(0);
  });

  test("exits immediately on a second signal", async () => {
    const head = ["POST /login/native HTTP/1.1", `Origin: ${server.url}`, "Content-Length: 100"];
    const { socket, answered: responded } = await beginRequest([...head, "", "half a form"]);
    const startedAt = performance.now();
    await sendStopSignal();
    expect(await server.stop()).toBe(1);
    // Well before the ten seconds that pending requests get.
    expect(performance.now() - startedAt).toBeLessThan(9_000);
    socket.destroy();
    await responded;
  });

  test("does not wait for connections without a complete request, and accepts no new ones", async () => {
    const party = createRelyingParty({ issuer: server.url, client: await addClient(server, "suite") });
    const { hostname, port } = new URL(server.url);
    const silent = connect({ host: hostname, port: Number(port) });
    const keepAliveBrowser = newBrowser();
    // A keep-alive connection that has had a response.
    expect((await keepAliveBrowser.get(party.request().url)).status).toBe(303);
    const half = await beginRequest(["GET /healthz HTTP/1.1"]);
    const ends = [silent, half.socket].map((socket) => {
      socket.on("error", () => {}).resume();
      return new Promise<void>((resolve) => socket.once("close", () => resolve()));
    });
    await sendStopSignal();
    const startedAt = performance.now();
    // Only the server closes these connections.
    await Promise.all(ends);
    expect(await server.ended()).toBe(0);
    // Well before the ten seconds that pending requests get.
    expect(performance.now() - startedAt).toBeLessThan(8_000);
    expect(await half.answered).toBe("");
    expect(server.output()).not.toMatch(/"level":(50|60)/);
    await expect(newBrowser().get("/healthz")).rejects.toThrow(/ECONNREFUSED/);
  });
});

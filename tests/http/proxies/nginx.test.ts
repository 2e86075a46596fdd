// Proves requirement 142.
import { randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { globalAgent } from "node:https";
import { join } from "node:path";
import { expect, test } from "vitest";
import { addClient, addUser, databaseOfRun } from "#tests/http/crash/command.ts";
import { signIn } from "#tests/http/oidc/browser-steps.ts";
import { redirectParameters } from "#tests/http/oidc/responses.ts";
import { createBrowser } from "#tests/support/browser-jar.ts";
import { startChildServer } from "#tests/support/child-server.ts";
import { requireDebianTool } from "#tests/support/debian-tool.ts";
import { freePort } from "#tests/support/free-port.ts";
import { createRelyingParty } from "#tests/support/relying-party.ts";
import { TEST_PASSWORD } from "#tests/support/server.ts";
import { readText } from "#tests/support/source-tree.ts";
import { adapt, createProxyFolder, type Ports, type ProxyFolder, startProxy } from "./proxy.ts";
import { promisesBehind } from "./proxy-tests.ts";

const SHIPPED = "deploy/nginx.conf";

/** Burst limit in place of the shipped 200. */
const ENGINE_BURST = 30;

type Changes = Parameters<typeof adapt>[2];

async function start(folder: ProxyFolder, { tls, plain, gatehouse }: Ports, changes: Changes = []) {
  const { program, env } = requireDebianTool("nginx");
  const shipped = adapt(SHIPPED, folder, [
    // IPv6 may be unavailable.
    ["    listen [::]:80;\n", ""],
    ["    listen [::]:443 ssl http2;\n", ""],
    ["listen 80;", `listen 127.0.0.1:${plain};`],
    ["listen 443 ", `listen 127.0.0.1:${tls} `],
    ["https://login.example.com", `https://localhost:${tls}`],
    ["server_name login.example.com", "server_name localhost"],
    ["127.0.0.1:3000", `127.0.0.1:${gatehouse}`],
    // A slow machine may not reach the shipped limit.
    ["rate=50r/s", "rate=1r/s"],
    ["burst=200", `burst=${ENGINE_BURST}`],
    ["/var/log/nginx", join(folder.path, "logs")],
    ...changes,
  ]);
  const kinds = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
  const temporary = kinds.map((kind) => `${kind}_temp_path ${join(folder.path, kind)};`);
  const main = [
    "daemon off; master_process off; worker_processes 1;",
    `pid ${join(folder.path, "nginx.pid")};`,
    `events {} http { ${temporary.join(" ")} include ${shipped}; }`,
  ];
  const file = join(folder.path, "nginx.conf");
  writeFileSync(file, main.join("\n"));
  const args = ["-p", folder.path, "-c", file, "-e", join(folder.path, "logs/start.log")];
  return startProxy(program, args, { env, port: tls, folder });
}

promisesBehind({ name: "nginx", start, unavailableStatus: 502, engineBurst: ENGINE_BURST });

test("forms with passwords lie in nginx's memory and in no file", () => {
  const bytes = (key: string) => new RegExp(`^\\s+${key} (\\w+);`, "m").exec(readText(SHIPPED))?.[1];
  expect(bytes("client_body_buffer_size")).toBe(bytes("client_max_body_size"));
  expect(bytes("proxy_max_temp_file_size")).toBe("0");
});

test("sign-ins work with nginx's default buffers, however long the request is", async () => {
  const ports = { tls: await freePort(), plain: await freePort(), gatehouse: 0 };
  const issuer = `https://localhost:${ports.tls}`;
  const folder = createProxyFolder();
  const database = await databaseOfRun();
  const server = await startChildServer({ env: { ...database.env, ISSUER: issuer, TRUST_PROXY: "127.0.0.1" } });
  ports.gatehouse = Number(new URL(server.url).port);
  const proxy = await start(folder, ports, DEFAULT_BUFFERS);
  globalAgent.options.ca = folder.certificate;
  try {
    const client = await addClient(server, "suite");
    const anna = { username: "anna", password: TEST_PASSWORD, displayName: "Name of anna" };
    const { id } = await addUser(server, anna);
    const party = createRelyingParty({ issuer, client });
    for (const length of [100, 500, 900, 1300]) {
      const state = randomBytes(length).toString("base64url").slice(0, length);
      const end = await signIn(createBrowser({ base: issuer }), party.request({ state, prompt: "consent" }), {
        ...anna,
        id,
      });
      expect([length, redirectParameters(end)]).toEqual([
        length,
        expect.objectContaining({ state, code: expect.any(String) }),
      ]);
    }
  } finally {
    await proxy.stop();
    await server.remove();
    await database.remove();
    folder.remove();
    delete globalAgent.options.ca;
  }
}, 120_000);

/** Removes the shipped sizes: the head of a response has to fit into one buffer of 4 KB. */
const DEFAULT_BUFFERS: Changes = [
  ["    proxy_buffer_size 32k;\n", ""],
  ["    proxy_buffers 8 32k;\n", ""],
  ["    proxy_busy_buffers_size 64k;\n", ""],
  ["    large_client_header_buffers 4 64k;\n", ""],
];

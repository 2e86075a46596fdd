import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { requireDebianTool } from "#tests/support/debian-tool.ts";
import { readText } from "#tests/support/source-tree.ts";
import { adapt, type Ports, type ProxyFolder, startProxy } from "./proxy.ts";
import { promisesBehind } from "./proxy-tests.ts";

const SHIPPED = "deploy/nginx.conf";

/** Burst limit in place of the shipped 200. */
const ENGINE_BURST = 30;

async function start(folder: ProxyFolder, { tls, plain, gatehouse }: Ports) {
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

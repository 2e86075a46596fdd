import { join } from "node:path";
import { expect, test } from "vitest";
import { requireDebianTool } from "#tests/support/debian-tool.ts";
import { readText } from "#tests/support/source-tree.ts";
import { adapt, type Ports, type ProxyFolder, startProxy } from "./proxy.ts";
import { promisesBehind } from "./proxy-tests.ts";

const SHIPPED = "deploy/Caddyfile";

async function start(folder: ProxyFolder, { tls, plain, gatehouse }: Ports) {
  const { program, env } = requireDebianTool("caddy");
  const certificate = "/etc/letsencrypt/live/login.example.com";
  const log = join(folder.path, "logs/caddy.log");
  const settings = [
    ...["admin off", "default_bind 127.0.0.1", `http_port ${plain}`, `https_port ${tls}`],
    `log default {\n\toutput file ${log}\n\t}`,
  ];
  const file = adapt(SHIPPED, folder, [
    // A certificate of the test in place of one that Caddy would obtain.
    [
      "https://login.example.com {",
      `https://localhost:${tls} {\n\ttls ${certificate}/fullchain.pem ${certificate}/privkey.pem`,
    ],
    ["http://login.example.com", `http://localhost:${plain}`],
    ["https://login.example.com", `https://localhost:${tls}`],
    ["127.0.0.1:3000", `127.0.0.1:${gatehouse}`],
    ["\tservers {", `${settings.map((text) => `\t${text}\n`).join("")}\tservers {`],
  ]);
  const own = { ...env, HOME: folder.path, XDG_DATA_HOME: folder.path, XDG_CONFIG_HOME: folder.path };
  return startProxy(program, ["run", "--config", file, "--adapter", "caddyfile"], { env: own, port: tls, folder });
}

promisesBehind({ name: "Caddy", start, unavailableStatus: 502, logsOnly: "serving initial configuration" });

test("the file makes Caddy log no request: queries contain one-time links and codes", () => {
  expect(readText(SHIPPED)).not.toMatch(/^\s*(log|debug)\b/m);
});

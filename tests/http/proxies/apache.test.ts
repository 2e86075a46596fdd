import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { requireDebianTool } from "#tests/support/debian-tool.ts";
import { readText } from "#tests/support/source-tree.ts";
import { adapt, type Ports, type ProxyFolder, startProxy } from "./proxy.ts";
import { promisesBehind } from "./proxy-tests.ts";

const SHIPPED = "deploy/apache.conf";

/** Modules that Debian loads by default or the shipped file requires; more would hide missing ones. */
const NEEDED = ["ssl", "proxy", "proxy_http", "headers", "setenvif", "alias"];
const MODULES = ["mpm_event", "authz_core", ...NEEDED];

async function start(folder: ProxyFolder, { tls, plain, gatehouse }: Ports) {
  const { program, env, root } = requireDebianTool("apache2");
  const shipped = adapt(SHIPPED, folder, [
    ["<VirtualHost *:80>", `<VirtualHost *:${plain}>`],
    ["<VirtualHost *:443>", `<VirtualHost *:${tls}>`],
    ["https://login.example.com", `https://localhost:${tls}`],
    ["ServerName login.example.com", "ServerName localhost"],
    ["127.0.0.1:3000", `127.0.0.1:${gatehouse}`],
    ["/var/log/apache2", join(folder.path, "logs")],
  ]);
  const isRoot = process.getuid?.() === 0;
  const main = [
    `ServerRoot ${folder.path}`,
    "ServerName localhost",
    `PidFile ${join(folder.path, "apache.pid")}`,
    `DefaultRuntimeDir ${folder.path}`,
    "Mutex sem",
    `ErrorLog ${join(folder.path, "logs/start.log")}`,
    // Apache refuses to serve as root.
    ...(isRoot ? ["User nobody", "Group nogroup"] : []),
    `Listen 127.0.0.1:${plain}`,
    `Listen 127.0.0.1:${tls}`,
    ...MODULES.map((name) => `LoadModule ${name}_module ${join(root, "usr/lib/apache2/modules", `mod_${name}.so`)}`),
    `Include ${shipped}`,
  ];
  const file = join(folder.path, "apache.conf");
  writeFileSync(file, `${main.join("\n")}\n`);
  return startProxy(program, ["-X", "-d", folder.path, "-f", file], { env, port: tls, folder });
}

promisesBehind({ name: "Apache", start, unavailableStatus: 503 });

test("the file names the modules that Apache is to load for it", () => {
  expect(readText(SHIPPED)).toContain(`a2enmod ${NEEDED.join(" ")}\n`);
});

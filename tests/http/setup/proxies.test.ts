import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, readlinkSync, writeFileSync } from "node:fs";
import { globalAgent } from "node:https";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { readEnvironmentFile } from "#app/cli/setup/environment-file.server.ts";
import { createProxyFolder, type ProxyFolder, startProxy } from "#tests/http/proxies/proxy.ts";
import { createBrowser } from "#tests/support/browser-jar.ts";
import { startChildServer } from "#tests/support/child-server.ts";
import { requireDebianTool } from "#tests/support/debian-tool.ts";
import { freePort } from "#tests/support/free-port.ts";
import { signInFirst } from "./first-sign-in.ts";
import { createRoot, linksIn, type NewRoot, options } from "./new-root.ts";

// A setup starts four processes.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

/** Creates the folders and an environment file with the port of Gatehouse. */
function giveEnvironment(root: NewRoot, port: number): void {
  mkdirSync(root.at("etc/gatehouse"), { recursive: true });
  writeFileSync(root.at("etc/gatehouse/gatehouse.env"), `PORT=${port}\n`);
}

test("the link of setup leads through Caddy, with a certificate of its own authority, to the settings", async () => {
  const root = createRoot();
  const [port, tls, plain] = [await freePort(), await freePort(), await freePort()];
  const issuer = `https://localhost:${tls}`;
  giveEnvironment(root, port);
  // The file of Debian's package is replaced.
  cpSync(join(requireDebianTool("caddy").root, "etc/caddy/Caddyfile"), root.at("etc/caddy/Caddyfile"));
  const { code, stdout, stderr } = await root.setup(options({ "--address": issuer, "--proxy": "caddy" }));
  expect([code, stderr]).toEqual([0, expect.anything()]);

  await startService(root);
  await expectFirstSignIn(issuer, {
    link: linksIn(stdout)[0] ?? "",
    certificate: await startCaddy(root, { tls, plain }),
  });

  const again = await root.setup([]);
  expect([again.code, linksIn(again.stdout)]).toEqual([0, []]);
  expect(again.stdout).toContain("anna.berger (has a password and a second factor)");
  expect(again.stderr).not.toContain("--new-link");
  expect(linksIn((await root.setup(["--new-link"])).stdout)).toEqual([]);
});

/** Starts the server with the files of setup. */
async function startService(root: NewRoot): Promise<void> {
  const settings = readEnvironmentFile(root.at("etc/gatehouse/gatehouse.env"));
  const secretKeys = root.read("etc/gatehouse/secret-keys").trim();
  const server = await startChildServer({ env: { ...settings, SECRET_KEYS: secretKeys } });
  onTestFinished(() => server.remove());
}

/** Follows the link of setup through a proxy with this certificate, or one of this authority, until the settings. */
async function expectFirstSignIn(
  issuer: string,
  { link, certificate }: { link: string; certificate: string },
): Promise<void> {
  globalAgent.options.ca = certificate;
  onTestFinished(() => {
    delete globalAgent.options.ca;
  });
  const browser = createBrowser({ base: issuer });
  await expect.poll(async () => (await browser.get("/readyz").catch(() => null))?.status).toBe(200);
  const clock = { now: () => new Date() };
  const { titles, last } = await signInFirst(browser, { link, username: "anna.berger", clock });
  expect(titles.at(-1)).toBe("Login settings | Example & Sons");
  expect(last.url).toBe(`${issuer}/manage`);
  for (const cookie of browser.jar.all()) expect(cookie).toMatchObject({ secure: true });
}

/** Starts Caddy with the file of setup, with an authority of its own and other ports. Returns its root certificate. */
async function startCaddy(root: NewRoot, { tls, plain }: { tls: number; plain: number }): Promise<string> {
  const { program, env } = requireDebianTool("caddy");
  const file = root.at("etc/caddy/Caddyfile");
  execFileSync(program, ["validate", "--config", file, "--adapter", "caddyfile"], { env, stdio: "ignore" });
  const written = root.read("etc/caddy/Caddyfile");
  const test = ["local_certs", "skip_install_trust", "admin off", `http_port ${plain}`, `https_port ${tls}`];
  const adapted = written.replace(
    /^\{$/m,
    `{\n\tdefault_bind 127.0.0.1\n${test.map((text) => `\t${text}\n`).join("")}`,
  );
  expect(adapted).not.toBe(written);
  writeFileSync(file, adapted);
  const folder = createProxyFolder();
  onTestFinished(() => folder.remove());
  const own = { ...env, HOME: folder.path, XDG_DATA_HOME: folder.path, XDG_CONFIG_HOME: folder.path };
  const args = ["run", "--config", file, "--adapter", "caddyfile"];
  const proxy = await startProxy(program, args, { env: own, port: tls, folder });
  onTestFinished(() => proxy.stop());
  return readFileSync(`${folder.path}/caddy/pki/authorities/local/root.crt`, "utf8");
}

test("the site of nginx is enabled when there is a certificate, and the link of setup leads through it to the settings", async () => {
  const root = createRoot();
  const [port, tls, plain] = [await freePort(), await freePort(), await freePort()];
  const issuer = `https://localhost:${tls}`;
  giveEnvironment(root, port);
  const site = "etc/nginx/sites-available/gatehouse.conf";
  const link = root.at("etc/nginx/sites-enabled/gatehouse.conf");
  const first = await root.setup(options({ "--address": issuer, "--proxy": "nginx" }));
  expect([first.code, first.stderr]).toEqual([0, expect.stringContaining("certbot certonly --nginx -d localhost")]);
  expect([existsSync(root.at(site)), existsSync(link)]).toEqual([true, false]);

  const folder = createProxyFolder();
  onTestFinished(() => folder.remove());
  mkdirSync(root.at("etc/letsencrypt/live/localhost"), { recursive: true });
  for (const name of ["fullchain.pem", "privkey.pem"]) {
    cpSync(`${folder.path}/${name}`, root.at(`etc/letsencrypt/live/localhost/${name}`));
  }
  const again = await root.setup([]);
  expect([again.code, readlinkSync(link)]).toEqual([0, "../sites-available/gatehouse.conf"]);
  expect(root.read(site)).toContain(`return 308 ${issuer}$request_uri;`);
  await startService(root);
  await startNginx(root.read(site), { tls, plain, folder });
  await expectFirstSignIn(issuer, { link: linksIn(first.stdout)[0] ?? "", certificate: folder.certificate });
});

/** Starts nginx, which checks the file first, with the site of setup on another port for http, and without IPv6. */
async function startNginx(
  site: string,
  { tls, plain, folder }: { tls: number; plain: number; folder: ProxyFolder },
): Promise<void> {
  const adapted = site
    .replace(/^ *listen \[::\].*\n/gm, "")
    .replace("listen 80;", `listen 127.0.0.1:${plain};`)
    .replaceAll("/var/log/nginx", `${folder.path}/logs`);
  expect(adapted).toContain(`listen ${tls} ssl`);
  writeFileSync(`${folder.path}/site.conf`, adapted);
  const kinds = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
  const temporary = kinds.map((kind) => `${kind}_temp_path ${folder.path}/${kind};`).join(" ");
  const main = [
    "daemon off; master_process off; worker_processes 1;",
    `pid ${folder.path}/pid; events {} http { ${temporary} include ${folder.path}/site.conf; }`,
  ];
  writeFileSync(`${folder.path}/nginx.conf`, main.join("\n"));
  const { program, env } = requireDebianTool("nginx");
  const args = ["-p", folder.path, "-c", `${folder.path}/nginx.conf`, "-e", `${folder.path}/logs/start.log`];
  execFileSync(program, ["-t", "-q", ...args], { env });
  const proxy = await startProxy(program, args, { env, port: tls, folder });
  onTestFinished(() => proxy.stop());
}

test("a Caddyfile with other sites is not changed", async () => {
  const root = createRoot();
  mkdirSync(root.at("etc/caddy"), { recursive: true });
  writeFileSync(root.at("etc/caddy/Caddyfile"), "www.example.com {\n\tfile_server\n}\n");
  const { code, stderr } = await root.setup(options({ "--proxy": "caddy" }));
  expect([code, stderr]).toEqual([0, expect.stringContaining("has other sites")]);
  expect(root.read("etc/caddy/Caddyfile")).toBe("www.example.com {\n\tfile_server\n}\n");
  expect(root.read("etc/caddy/Caddyfile.gatehouse")).toContain("https://localhost:9 {");
});

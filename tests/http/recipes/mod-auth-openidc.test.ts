import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { open, signIn } from "#tests/http/oidc/browser-steps.ts";
import { createProxyFolder, type ProxyFolder, type RunningProxy, startProxy } from "#tests/http/proxies/proxy.ts";
import { requireDebianTool } from "#tests/support/debian-tool.ts";
import { freePort } from "#tests/support/free-port.ts";
import { startServer, type TestServer, type TestUser } from "#tests/support/server.ts";
import { createRecipe, sessionSecret } from "./recipe.ts";

const MODULES = ["mpm_event", "authn_core", "authz_core", "authz_user", "headers"];

let server: TestServer;
let anna: TestUser;
let folder: ProxyFolder;
let apache: RunningProxy | undefined;

beforeAll(async () => {
  server = await startServer({ now: "running" });
  anna = await server.users.create();
  folder = createProxyFolder();
});

afterEach(() => apache?.stop());

afterAll(async () => {
  folder?.remove();
  await server?.close();
});

/** Starts Apache with the recipe; its page names the user in a header. */
async function startApache(recipe: string, clientSecret: string, port: number) {
  const { program, env, root } = requireDebianTool("apache2");
  const { program: openidc } = requireDebianTool("usr/lib/apache2/modules/mod_auth_openidc.so");
  const documents = join(folder.path, "documents");
  mkdirSync(documents, { recursive: true });
  // Apache serves as another user if it is started by root.
  chmodSync(folder.path, 0o755);
  writeFileSync(join(documents, "desk.txt"), "the desk");
  const main = [
    `ServerRoot ${folder.path}`,
    "ServerName localhost",
    `PidFile ${join(folder.path, "apache.pid")}`,
    `DefaultRuntimeDir ${folder.path}`,
    "Mutex sem",
    `ErrorLog ${join(folder.path, "logs/error.log")}`,
    ...(process.getuid?.() === 0 ? ["User nobody", "Group nogroup"] : []),
    `Listen 127.0.0.1:${port}`,
    ...MODULES.map((name) => `LoadModule ${name}_module ${join(root, "usr/lib/apache2/modules", `mod_${name}.so`)}`),
    `LoadModule auth_openidc_module ${openidc}`,
    `DocumentRoot ${documents}`,
    "Header set X-User expr=%{REMOTE_USER}",
    recipe,
  ];
  const file = join(folder.path, "apache.conf");
  writeFileSync(file, `${main.join("\n")}\n`);
  const secrets = { CLIENT_SECRET: clientSecret, SESSION_SECRET: sessionSecret() };
  return startProxy(program, ["-X", "-d", folder.path, "-f", file], { env: { ...env, ...secrets }, port, folder });
}

test.each(["client_secret_basic", "client_secret_post"] as const)(
  "the recipe of mod_auth_openidc signs a user in with %s, with PKCE; REMOTE_USER is sub",
  async (authMethod) => {
    const port = await freePort();
    const url = `http://localhost:${port}`;
    const input = { authMethod, redirectUris: [`${url}/callback`] };
    const { code, clientSecret } = await createRecipe(server, "mod_auth_openidc", input);
    apache = await startApache(code, clientSecret, port);
    const browser = server.browser();
    const start = await browser.get(`${url}/desk.txt`, { headers: { accept: "text/html" } });
    const request = { url: start.location ?? "", parameters: {}, state: "", nonce: "", verifier: "" };
    expect(new URL(request.url).searchParams.get("code_challenge_method")).toBe("S256");
    const end = await signIn(browser, request, anna);
    const page = await open(browser, end.location ?? "");
    expect([page.body, page.headers["x-user"]]).toEqual(["the desk", anna.id]);
  },
);

import { existsSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { open, signIn } from "#tests/http/oidc/browser-steps.ts";
import { createProxyFolder, type ProxyFolder, type RunningProxy, startProxy } from "#tests/http/proxies/proxy.ts";
import { requireDebianTool } from "#tests/support/debian-tool.ts";
import { freePort } from "#tests/support/free-port.ts";
import { startServer, type TestServer, type TestUser } from "#tests/support/server.ts";
import { createRecipe, sessionSecret } from "./recipe.ts";

let server: TestServer;
let anna: TestUser;
let folder: ProxyFolder;
let application: RunningProxy | undefined;

beforeAll(async () => {
  server = await startServer({ now: "running" });
  anna = await server.users.create();
  folder = createProxyFolder();
});

afterEach(() => application?.stop());

afterAll(async () => {
  folder?.remove();
  await server?.close();
});

/** Starts the recipe with the Python of Debian, for which its packages are. */
async function startFlask(code: string, clientSecret: string, port: number) {
  const { program } = requireDebianTool("python3");
  const packages = ["authlib", "flask", "requests"] as const;
  const folders = packages.map((name) =>
    dirname(dirname(requireDebianTool(`usr/lib/python3/dist-packages/${name}/__init__.py`).program)),
  );
  writeFileSync(join(folder.path, "recipe.py"), code);
  const python = existsSync("/usr/bin/python3") ? "/usr/bin/python3" : program;
  const args = ["-m", "flask", "--app", "recipe", "run", "--port", String(port)];
  const env = { PATH: process.env.PATH, PYTHONPATH: folders.join(":"), CLIENT_SECRET: clientSecret };
  return startProxy(python, args, { env: { ...env, SESSION_SECRET: sessionSecret(), NODE_ENV: "test" }, port, folder });
}

test.each(["client_secret_basic", "client_secret_post"] as const)(
  "the recipe of Authlib signs a user in with %s, with PKCE, and identifies the user by sub",
  async (authMethod) => {
    const port = await freePort();
    const url = `http://localhost:${port}`;
    const input = { authMethod, redirectUris: [`${url}/callback`] };
    const { code, clientSecret } = await createRecipe(server, "authlib", input);
    application = await startFlask(code, clientSecret, port);
    const browser = server.browser();
    const start = await browser.get(`${url}/sign-in`);
    const request = { url: start.location ?? "", parameters: {}, state: "", nonce: "", verifier: "" };
    expect(new URL(request.url).searchParams.get("code_challenge_method")).toBe("S256");
    const end = await signIn(browser, request, anna);
    const home = await open(browser, end.location ?? "");
    expect(JSON.parse(home.body)).toEqual({ sub: anna.id, name: anna.displayName });
  },
);

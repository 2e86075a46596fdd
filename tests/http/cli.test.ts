import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { z } from "zod";
import { createBrowser } from "#tests/support/browser-jar.ts";
import { startChildServer } from "#tests/support/child-server.ts";
import { freePort } from "#tests/support/free-port.ts";
import { createRelyingParty } from "#tests/support/relying-party.ts";
import { startServer, TEST_PASSWORD, type TestServer } from "#tests/support/server.ts";
import { ROOT } from "#tests/support/source-tree.ts";
import { hasForm, obtainTokens, open } from "./oidc/browser-steps.ts";

const PROGRAM = join(ROOT, "build/main.js");
const POLL_MS = 25;

type Environment = Readonly<Record<string, string>>;
type Finished = { exitCode: number; stdout: string; stderr: string };

const registered = z.strictObject({ client_id: z.string(), client_secret: z.string() });
const startSchema = z.object({
  issuer: z.string(),
  app_url: z.string(),
  accounts: z.array(z.object({ username: z.string(), password: z.string() })).min(2),
});

/** Starts the built program with only PATH from this process's environment. */
function start(args: readonly string[], { env, cwd = ROOT }: { env: Environment; cwd?: string }) {
  const child = spawn(process.execPath, [PROGRAM, ...args], {
    env: { PATH: process.env.PATH, ...env, NODE_ENV: "production" },
    cwd,
    stdio: ["pipe", "pipe", "pipe"],
  });
  const output = { stdout: "", stderr: "" };
  child.stdout.setEncoding("utf8").on("data", (text) => {
    output.stdout += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text) => {
    output.stderr += text;
  });
  return { child, output };
}

/** Runs a command to its end. */
async function gatehouse(args: readonly string[], env: Environment, input = ""): Promise<Finished> {
  const { child, output } = start(args, { env });
  child.stdin.end(input);
  const [exitCode] = await once(child, "close");
  return { exitCode: z.number().parse(exitCode), ...output };
}

async function stop(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  if (child.exitCode === null && child.signalCode === null) {
    const ended = once(child, "close");
    child.kill(signal);
    await ended;
  }
  return child.exitCode;
}

describe("commands beside a running server", () => {
  let server: TestServer;
  let env: Environment;

  beforeAll(async () => {
    server = await startServer({ now: "running" });
    const { database, secretKeys, issuer } = server.context.config;
    env = {
      ISSUER: issuer,
      DATABASE_URL: database.dialect === "sqlite" ? `sqlite:${database.file}` : database.url,
      SECRET_KEYS: secretKeys.join(),
      APP_URL: "http://localhost:9/app",
      IMPRINT_URL: "http://localhost:9/imprint",
    };
  });

  afterAll(() => server.close());

  async function addUser(name: string) {
    const args = ["user", "add", name, "--display-name", name, "--password-stdin", "--json"];
    const { id } = z
      .strictObject({ id: z.string() })
      .parse(JSON.parse((await gatehouse(args, env, TEST_PASSWORD)).stdout));
    return { id, username: name, displayName: name, password: TEST_PASSWORD };
  }

  async function addClient(id: string, ...more: string[]) {
    const redirectUri = `http://localhost:9/${id}/callback`;
    const args = ["client", "add", "--id", id, "--name", id, "--redirect-uri", redirectUri, "--json", ...more];
    const { client_id: clientId, client_secret: clientSecret } = registered.parse(
      JSON.parse((await gatehouse(args, env)).stdout),
    );
    return { clientId, clientSecret, redirectUri };
  }

  it("a user and a client added by the command work at once", async () => {
    const anna = await addUser("anna.berger");
    const party = createRelyingParty({ issuer: server.url, client: await addClient("desk") });
    const tokens = await obtainTokens(server.browser(), party, party.request(), anna);
    expect((await party.userinfo(tokens.accessToken)).json()).toMatchObject({ sub: anna.id });
  });

  it("a blocked user's tokens are dead at once", async () => {
    const bernd = await addUser("bernd.vogel");
    const party = createRelyingParty({ issuer: server.url, client: await addClient("desk-of-bernd") });
    const tokens = await obtainTokens(server.browser(), party, party.request(), bernd);
    expect((await gatehouse(["user", "block", "bernd.vogel"], env)).exitCode).toBe(0);
    expect((await party.userinfo(tokens.accessToken)).status).toBe(401);
  });

  describe("consents", () => {
    const consent = z.strictObject({
      ...{ username: z.string(), client_id: z.string(), name: z.string(), scopes: z.array(z.string()) },
      ...{ since: z.iso.datetime(), remembered: z.boolean() },
    });
    const SCOPES = ["openid", "profile", "offline"].flatMap((id) => ["--scope", id]);
    const listed = async (...args: string[]) => {
      const { stdout, exitCode } = await gatehouse([...args, "--json"], env);
      expect(exitCode).toBe(0);
      return z.array(consent).parse(JSON.parse(stdout));
    };

    async function withConsent(name: string, client: Awaited<ReturnType<typeof addClient>>) {
      const user = await addUser(name);
      const party = createRelyingParty({ issuer: server.url, client });
      const browser = server.browser();
      const scope = "openid profile offline";
      const tokens = await obtainTokens(browser, party, party.request({ scope }), user);
      expect((await party.userinfo(tokens.accessToken)).status).toBe(200);
      const asksAgain = async () => hasForm(await open(browser, party.request({ scope }).url), "/consent/accept");
      expect(await asksAgain()).toBe(false);
      return { user, party, tokens, asksAgain };
    }

    async function expectWithdrawn({ party, tokens, asksAgain }: Awaited<ReturnType<typeof withConsent>>) {
      expect((await party.userinfo(tokens.accessToken)).status).toBe(401);
      expect((await party.refresh(tokens.refreshToken)).error()).toBe("invalid_grant");
      expect(await asksAgain()).toBe(true);
    }

    it("of one user for one client are withdrawn: the tokens stop working at once, and consent is requested again", async () => {
      const client = await addClient("desk-of-consents", ...SCOPES);
      const anna = await withConsent("anna.consents", client);
      const bernd = await withConsent("bernd.consents", client);
      const rows = await listed("client", "consents", client.clientId);
      expect(rows.map(({ username }) => username).toSorted()).toEqual(["anna.consents", "bernd.consents"]);
      expect(rows[0]).toMatchObject({ client_id: client.clientId, name: client.clientId, remembered: true });
      expect(rows[0]?.scopes).toEqual(expect.arrayContaining(["openid", "profile"]));
      const withdrawn = await listed("client", "consents", client.clientId, "--withdraw", "ANNA.consents");
      expect(withdrawn).toMatchObject([{ username: "anna.consents" }]);
      await expectWithdrawn(anna);
      expect((await bernd.party.userinfo(bernd.tokens.accessToken)).status).toBe(200);
      const again = await gatehouse(["client", "consents", client.clientId, "--withdraw", "anna.consents"], env);
      expect([again.exitCode, again.stdout]).toEqual([4, ""]);
      expect(again.stderr).toContain(`The user has given no consent to "${client.clientId}".`);
      const events = await gatehouse(["audit", "list", "--type", "consent.withdrawn", "--json"], env);
      expect(JSON.parse(events.stdout)).toMatchObject([
        { user_id: anna.user.id, client_id: client.clientId, detail: { reason: "cli" } },
      ]);
    });

    it("of all users to one client are withdrawn with --yes only", async () => {
      const client = await addClient("desk-of-everybody", ...SCOPES);
      const [dora, emil] = [await withConsent("dora.consents", client), await withConsent("emil.consents", client)];
      const unasked = await gatehouse(["client", "consents", client.clientId, "--withdraw"], env);
      expect([unasked.exitCode, unasked.stdout]).toEqual([5, ""]);
      expect(unasked.stderr).toContain("--yes");
      // An unset shell variable results in an empty argument.
      const empty = await gatehouse(["client", "consents", client.clientId, "--withdraw", "", "--yes"], env);
      expect([empty.exitCode, empty.stdout]).toEqual([4, ""]);
      expect((await dora.party.userinfo(dora.tokens.accessToken)).status).toBe(200);
      const withdrawn = await listed("client", "consents", client.clientId, "--withdraw", "--yes");
      expect(withdrawn.map(({ username }) => username).toSorted()).toEqual(["dora.consents", "emil.consents"]);
      await expectWithdrawn(dora);
      await expectWithdrawn(emil);
    });

    it("of a user are listed and withdrawn, one or all", async () => {
      const [one, other] = [await addClient("desk-one", ...SCOPES), await addClient("desk-other")];
      const first = await withConsent("carla.consents", one);
      const party = createRelyingParty({ issuer: server.url, client: other });
      const tokens = await obtainTokens(server.browser(), party, party.request(), first.user);
      expect(await listed("user", "consents", "carla.consents")).toHaveLength(2);
      expect(await listed("user", "consents", "carla.consents", "--withdraw", "desk-one")).toHaveLength(1);
      await expectWithdrawn(first);
      expect((await party.userinfo(tokens.accessToken)).status).toBe(200);
      const all = await gatehouse(["user", "consents", "carla.consents", "--withdraw"], env);
      expect([all.exitCode, all.stdout]).toEqual([0, "Withdrew 1 consent.\n"]);
      expect((await party.userinfo(tokens.accessToken)).status).toBe(401);
    });

    it.each([
      [["client", "consents", "nobody"], 'There is no client "nobody".'],
      [["client", "consents", "nobody", "--withdraw"], 'There is no client "nobody".'],
      [["client", "consents", "nobody", "--withdraw", "--yes"], 'There is no client "nobody".'],
      [["user", "consents", "nobody"], 'There is no user "nobody".'],
    ])("%j ends with 4", async (args, message) => {
      const { exitCode, stdout, stderr } = await gatehouse(args, env);
      expect([exitCode, stdout]).toEqual([4, ""]);
      expect(stderr).toContain(message);
    });
  });

  it("a removed client is unknown at once", async () => {
    const client = await addClient("desk-to-remove");
    const party = createRelyingParty({ issuer: server.url, client });
    expect((await open(server.browser(), party.request().url)).url).toContain("/login");
    expect((await gatehouse(["client", "remove", client.clientId, "--yes"], env)).exitCode).toBe(0);
    expect((await open(server.browser(), party.request().url)).url).toContain("/error?error=invalid_client");
  });

  it("a rotated secret stops working at once, and the new one works", async () => {
    const client = await addClient("desk-to-rotate");
    const old = createRelyingParty({ issuer: server.url, client });
    const rotated = await gatehouse(["client", "rotate-secret", client.clientId, "--json"], env);
    const { client_secret: clientSecret } = registered.parse(JSON.parse(rotated.stdout));
    const renewed = createRelyingParty({ issuer: server.url, client: { ...client, clientSecret } });
    expect((await old.introspect("anything")).status).toBe(401);
    expect((await renewed.introspect("anything")).json()).toEqual({ active: false });
  });

  it("keys list names the keys that the server publishes", async () => {
    const listed = await gatehouse(["keys", "list", "--json"], env);
    const keys = z.array(z.looseObject({ kid: z.string() })).parse(JSON.parse(listed.stdout));
    const jwks = await (await fetch(`${server.url}/.well-known/jwks.json`)).json();
    const published = z.object({ keys: z.array(z.object({ kid: z.string() })) }).parse(jwks).keys;
    expect(keys.map(({ kid }) => kid).toSorted()).toEqual(published.map(({ kid }) => kid).toSorted());
    expect(listed.stdout).not.toMatch(/sealed|"d"/);
  });

  it("exit codes reach the shell, and failures keep standard output clean", async () => {
    const failures: [number, string[]][] = [
      [2, ["user", "lst"]],
      [4, ["user", "show", "nobody", "--json"]],
      [5, ["client", "remove", (await addClient("desk-to-keep")).clientId]],
    ];
    for (const [exitCode, args] of failures) {
      expect(await gatehouse(args, env), args.join(" ")).toMatchObject({ exitCode, stdout: "" });
    }
    const misconfigured = await gatehouse([], { ...env, PORT: "many", APP_URL: "" });
    expect(misconfigured).toMatchObject({ exitCode: 3, stdout: "" });
    for (const key of ["PORT", "APP_URL"]) expect(misconfigured.stderr).toContain(`  ${key} `);
  });
});

describe("serve", () => {
  it("exits with 0 on SIGTERM; a second server on the same file exits with 5", async () => {
    const server = await startChildServer();
    onTestFinished(() => server.remove());
    const port = String(await freePort());
    const second = await gatehouse(["serve"], { ...server.env, PORT: port, ISSUER: `http://localhost:${port}` });
    expect(second.exitCode).toBe(5);
    expect(second.stderr).toContain("Another server is running");
    expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
    expect(await server.stop()).toBe(0);
  });
});

describe("demo", () => {
  async function startDemo(folder: string, env: Environment) {
    const { child, output } = start(["demo", "--json"], { env, cwd: folder });
    onTestFinished(async () => {
      await stop(child, "SIGKILL");
    });
    while (!output.stdout.endsWith("}\n") && child.exitCode === null) await sleep(POLL_MS);
    if (child.exitCode !== null) throw new Error(`The demo ended with ${child.exitCode}: ${output.stderr}`);
    return { child, ...startSchema.parse(JSON.parse(output.stdout)) };
  }

  it("lets its users sign in to its application, and keeps its data after a restart", async () => {
    const folder = mkdtempSync(join(tmpdir(), "gatehouse-demo-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const env = {
      PORT: String(await freePort()),
      DEMO_APP_PORT: String(await freePort()),
      DEMO_PROVIDERS_PORT: String(await freePort()),
    };
    const first = await startDemo(folder, env);
    const [anna = { username: "", password: "" }] = first.accounts;
    const browser = createBrowser({ base: first.app_url });
    const login = await browser.follow(await browser.get("/sign-in"));
    const { username, password } = anna;
    const consent = await browser.follow(
      await browser.submit(login, login.page().form("/login/native"), { username, password }),
    );
    const home = await browser.follow(await browser.submit(consent, consent.page().form("/consent/accept")));
    expect(home.url).toBe(`${first.app_url}/`);
    expect(home.body).toContain(username);
    expect(await stop(first.child, "SIGINT")).toBe(0);
    await expect(fetch(first.app_url)).rejects.toThrow();

    const again = await startDemo(folder, env);
    expect(again.accounts).toEqual(first.accounts);
    expect(await stop(again.child, "SIGTERM")).toBe(0);
  });

  it("keeps its secrets to itself", async () => {
    const folder = mkdtempSync(join(tmpdir(), "gatehouse-demo-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const env = {
      PORT: String(await freePort()),
      DEMO_APP_PORT: String(await freePort()),
      DEMO_PROVIDERS_PORT: String(await freePort()),
    };
    const { child } = await startDemo(folder, env);
    for (const name of ["secret-key", "accounts.json", "gatehouse.sqlite"]) {
      expect(statSync(join(folder, "data/demo", name)).mode & 0o777, name).toBe(0o600);
    }
    expect(readFileSync(join(folder, "data/demo/secret-key"), "utf8").trim()).toMatch(/^[\w-]{64}$/);
    await stop(child, "SIGTERM");
  });
});

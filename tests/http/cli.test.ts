import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { createRelyingParty } from "#tests/support/relying-party.ts";
import { startServer, TEST_PASSWORD, type TestServer } from "#tests/support/server.ts";
import { runProgram } from "./crash/command.ts";
import { obtainTokens, open } from "./oidc/browser-steps.ts";
import { hasForm } from "./oidc/responses.ts";

type Environment = Readonly<Record<string, string>>;
type Finished = { exitCode: number; stdout: string; stderr: string };

const registered = z.strictObject({ client_id: z.string(), client_secret: z.string() });

/** Runs a command of the built program to its end, with only PATH from this process's environment. */
async function gatehouse(
  args: readonly string[],
  env: Environment,
  { stdin = "", through = [] }: { stdin?: string; through?: readonly string[] } = {},
): Promise<Finished> {
  const own = { PATH: process.env.PATH, ...env, NODE_ENV: "production" as const };
  const { code: exitCode, ...output } = await runProgram(own, args, { stdin, through });
  return { exitCode, ...output };
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

  const addUser = (name: string) => server.users.create({ username: name, displayName: name });
  const addClient = (id: string, scopes?: string[]) =>
    server.clients.create({ id, name: id, ...(scopes && { scopes }) });

  it("a user and a client added by the command work at once", async () => {
    const redirectUri = "http://localhost:9/desk/callback";
    const [addedUser, addedClient] = await Promise.all([
      gatehouse(["user", "add", "anna.berger", "--display-name", "Anna", "--password-stdin", "--json"], env, {
        stdin: TEST_PASSWORD,
      }),
      gatehouse(
        ["client", "add", "--id", "desk", "--name", "Desk", "--redirect-uri", redirectUri, "--everyone", "--json"],
        env,
      ),
    ]);
    const { id } = z.strictObject({ id: z.string() }).parse(JSON.parse(addedUser.stdout));
    const { client_id: clientId, client_secret: clientSecret } = registered.parse(JSON.parse(addedClient.stdout));
    const anna = { id, username: "anna.berger", displayName: "Anna", password: TEST_PASSWORD };
    const party = createRelyingParty({ issuer: server.url, client: { clientId, clientSecret, redirectUri } });
    const tokens = await obtainTokens(server.browser(), party, party.request(), anna);
    expect((await party.userinfo(tokens.accessToken)).json()).toMatchObject({ sub: anna.id });
  });

  it.each([
    [["--version"], ""],
    [["--help"], ""],
    [["user", "list"], ""],
    [["client", "list", "--json"], ""],
    [["config", "show"], ""],
    [["audit", "export"], ""],
    [["user", "block", "full.disk"], " Changes were stored."],
  ])(
    "gatehouse %j with its output on a full disk ends with 1, and says if it changed something",
    async (args, stored) => {
      await Promise.all([addUser(`full.${args.join(".")}`), addClient(`full.${args.join(".")}`)]);
      if (args.includes("full.disk")) await addUser("full.disk");
      const { exitCode, stderr } = await gatehouse(args, env, { through: ["sh", "-c", '"$@" > /dev/full', "sh"] });
      expect([exitCode, stderr]).toEqual([
        1,
        `error: The result could not be written to standard output: ENOSPC: no space left on device, write.${stored}\n`,
      ]);
      const silent = await gatehouse(args, env, { through: ["sh", "-c", '"$@" > /dev/full 2>&1', "sh"] });
      expect([silent.exitCode, silent.stderr]).toEqual([1, ""]);
    },
  );

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
    const SCOPES = ["openid", "profile", "offline"];
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

    // Proves requirement 150.
    it("of one user for one client are withdrawn: the tokens stop working at once, and consent is requested again", async () => {
      const client = await addClient("desk-of-consents", SCOPES);
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
      const client = await addClient("desk-of-everybody", SCOPES);
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
      const [one, other] = [await addClient("desk-one", SCOPES), await addClient("desk-other")];
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

  it("an import with --invite mails each new user once, also in a second run, and names its operator", async () => {
    const stdin = "username,display_name,email,email_verified\nina,Ina,ina@example.com,\njan,Jan,jan@example.com,yes\n";
    const runs: unknown[] = [];
    for (const onConflict of ["fail", "update"]) {
      const args = ["user", "import", "-", "--invite", "--on-conflict", onConflict, "--json"];
      const { stdout } = await gatehouse(args, { ...env, SUDO_USER: "mueller" }, { stdin });
      runs.push(JSON.parse(stdout));
    }
    expect(runs).toMatchObject([
      { added: 2, invited: 2 },
      { added: 0, updated: 0, unchanged: 2, invited: 0 },
    ]);
    const events = JSON.parse((await gatehouse(["audit", "list", "--type", "user.invited", "--json"], env)).stdout);
    expect(events).toMatchObject([{ detail: { operator: "mueller" } }, { detail: { operator: "mueller" } }]);
  });

  it("an address that an administrator verifies signs the user in, and is a verified claim", async () => {
    const added = await gatehouse(["user", "add", "kim", "--display-name", "Kim", "--json"], env);
    const { id } = z.object({ id: z.string() }).parse(JSON.parse(added.stdout));
    expect(await gatehouse(["user", "set", "kim", "--email-verified"], env)).toMatchObject({
      exitCode: 5,
      stderr: expect.stringContaining("has no mail address"),
    });
    const set = ["user", "set", "kim", "--email", "kim@example.com", "--email-verified", "--json"];
    expect(JSON.parse((await gatehouse(set, env)).stdout)).toMatchObject({ email_verified: true });
    await gatehouse(["user", "set-password", "kim", "--password-stdin"], env, { stdin: TEST_PASSWORD });
    const party = createRelyingParty({ issuer: server.url, client: await addClient("desk-of-kim") });
    const kim = { id, username: "kim@example.com", displayName: "Kim", password: TEST_PASSWORD };
    const tokens = await obtainTokens(server.browser(), party, party.request({ scope: "openid email" }), kim);
    expect((await party.userinfo(tokens.accessToken)).json()).toMatchObject({ sub: id, email_verified: true });
    const unset = ["user", "set", "kim", "--no-email-verified", "--json"];
    expect(JSON.parse((await gatehouse(unset, env)).stdout)).toMatchObject({
      email: "kim@example.com",
      email_verified: false,
    });
  });

  it("a removed group is gone, and one with members stays", async () => {
    for (const name of ["Empty", "Full"]) await gatehouse(["group", "add", name], env);
    await gatehouse(["user", "add", "lea", "--display-name", "Lea", "--group", "Full"], env);
    expect(await gatehouse(["group", "remove", "Empty"], env)).toMatchObject({ exitCode: 0 });
    expect(await gatehouse(["group", "remove", "Full"], env)).toMatchObject({ exitCode: 5, stdout: "" });
    const groups = JSON.parse((await gatehouse(["group", "list", "--json"], env)).stdout);
    expect(groups).toMatchObject([{ name: "Full" }]);
  });

  it("exit codes reach the shell, and failures keep standard output clean", async () => {
    const failures: [number, string[]][] = [
      [2, ["user", "lst"]],
      [4, ["user", "show", "nobody", "--json"]],
      [5, ["client", "remove", (await addClient("desk-to-keep")).clientId]],
    ];
    const [misconfigured, ...refused] = await Promise.all([
      gatehouse([], { ...env, PORT: "many", APP_URL: "" }),
      ...failures.map(([, args]) => gatehouse(args, env)),
    ]);
    expect(refused).toMatchObject(failures.map(([exitCode]) => ({ exitCode, stdout: "" })));
    expect(misconfigured).toMatchObject({ exitCode: 3, stdout: "" });
    for (const key of ["PORT", "APP_URL"]) expect(misconfigured.stderr).toContain(`  ${key} `);
  });
});

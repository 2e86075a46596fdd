import { PassThrough } from "node:stream";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { runCommandLine } from "#app/cli/program.server.ts";
import { lastAuditEvents } from "#app/domain/audit-trail/read.server.ts";
import type { NewClientInput } from "#app/domain/client/new-client.ts";
import type { HttpResponse } from "#tests/support/browser-jar.ts";
import { openPlace } from "#tests/support/relying-parties/place.ts";
import { startServer, type TestServer, type TestUser } from "#tests/support/server.ts";
import { allow, followRedirects, open, typePassword } from "./oidc/browser-steps.ts";
import { hasForm } from "./oidc/responses.ts";

const finding = z.object({ check: z.string(), state: z.string(), found: z.string(), fix: z.string().nullable() });
const resultSchema = z.object({ ok: z.boolean(), findings: z.array(finding) });

let server: TestServer;
let anna: TestUser;

beforeAll(async () => {
  server = await startServer({ now: "running" });
  anna = await server.users.create();
});

afterAll(() => server?.close());

/** Answers the question of the command, from the printed address and the results so far; null ends the input. */
type User = (address: string, printed: string) => Promise<string | null>;

/** Signs in and consents in a browser; returns the address at which it arrives. */
const signsIn: User = async (address) => {
  const browser = server.browser();
  let response: HttpResponse = await open(browser, address);
  if (hasForm(response, "/login/native")) response = await typePassword(browser, response, anna);
  if (hasForm(response, "/consent/accept")) response = await allow(browser, response);
  return response.location;
};

const leaves: User = async () => null;

/** Runs `client try --json` beside the server. The user answers when the command asks. */
async function tryClient(
  args: readonly string[],
  user: User = leaves,
  env: Record<string, string> = {},
  format: readonly string[] = ["--json"],
) {
  const { database, secretKeys, issuer } = server.context.config;
  const streams = { stdin: new PassThrough(), stdout: new PassThrough(), stderr: new PassThrough() };
  let stdout = "";
  let stderr = "";
  streams.stdout.on("data", (text) => {
    stdout += text;
  });
  streams.stderr.on("data", (text) => {
    stderr += text;
    if (!/ 60 s: $/.test(stderr)) return;
    const [address = ""] = /^http\S+\/oauth2\/auth\?\S+$/m.exec(stderr) ?? [];
    user(address, stdout).then(
      (answer) => streams.stdin.end(answer === null ? "" : `${answer}\n`),
      (error: Error) => streams.stdin.destroy(error),
    );
  });
  const exitCode = await runCommandLine({
    argv: ["node", "gatehouse", "client", "try", ...args, ...format],
    env: {
      ISSUER: issuer,
      DATABASE_URL: database.dialect === "sqlite" ? `sqlite:${database.file}` : database.url,
      SECRET_KEYS: secretKeys.join(),
      APP_URL: "http://localhost:9/app",
      IMPRINT_URL: "http://localhost:9/imprint",
      ...env,
    },
    serve: () => Promise.reject(new Error("this test starts no server")),
    streams,
  });
  const { findings, ...result } = resultSchema.parse(
    JSON.parse(stdout.startsWith("{") ? stdout : '{"ok":false,"findings":[]}'),
  );
  const stateOf = (check: string) => findings.find((one) => one.check === check)?.state ?? "missing";
  const textOf = (check: string) => {
    const found = findings.find((one) => one.check === check);
    return `${found?.found} -> ${found?.fix}`;
  };
  return { exitCode, stderr, stdout, ok: result.ok, findings, stateOf, textOf };
}

const createClient = (input: Partial<NewClientInput> = {}) => server.clients.create(input);

const statesOf = (findings: readonly z.output<typeof finding>[]) =>
  Object.fromEntries(findings.map(({ check, state }) => [check, state]));

describe("client try", () => {
  it("signs in as a confidential client: every step is checked, and its tokens are revoked", async () => {
    const { clientId, redirectUri } = await createClient({ scopes: ["openid", "email", "offline_access"] });
    const { exitCode, findings, stdout, stderr, textOf } = await tryClient([clientId], signsIn);
    expect(statesOf(findings)).toEqual({
      address: "ok",
      [`redirect URI ${redirectUri}`]: "ok",
      access: "ok",
      PKCE: "ok",
      scopes: "warning",
      "client authentication": "ok",
      CORS: "skipped",
      "back-channel logout": "skipped",
      [`after sign-out ${redirectUri.replace("callback", "signed-out")}`]: "ok",
      "sign-in": "ok",
      claims: "ok",
      "granted scopes": "ok",
      introspection: "ok",
      refresh: "ok",
      revocation: "ok",
    });
    expect(exitCode).toBe(0);
    expect(textOf("sign-in")).toContain(`sub ${anna.id}, amr pwd`);
    expect(textOf("claims")).toContain("sub email email_verified");
    expect(textOf("scopes")).toContain("prompt=consent");
    // The code does not reach the server of the application.
    expect(stderr).toContain("response_mode=fragment");
    expect(stdout + stderr).not.toContain(`${anna.username}@office.example`);
    expect(server.lines().filter((line) => line.event === "grant.revoked" && line.clientId === clientId)).not.toEqual(
      [],
    );
  });

  it.each(["client_secret_basic", "client_secret_post", "client_secret_jwt"] as const)(
    "authenticates with %s, and reports a wrong secret of the application",
    async (authMethod) => {
      const { clientId, clientSecret } = await createClient({ authMethod });
      expect((await tryClient([clientId])).stateOf("client authentication")).toBe("ok");
      const right = await tryClient([clientId], leaves, { CLIENT_SECRET: clientSecret ?? "" });
      expect(right.textOf("client authentication")).toContain("with the secret of CLIENT_SECRET is accepted");
      const wrong = await tryClient([clientId], leaves, { CLIENT_SECRET: "another-secret-of-the-application" });
      expect([wrong.exitCode, wrong.stateOf("client authentication")]).toEqual([1, "failed"]);
      expect(wrong.textOf("client authentication")).toContain("invalid_client: client authentication failed");
      expect(wrong.textOf("client authentication")).toContain(`gatehouse client rotate-secret ${clientId}`);
      expect(wrong.stateOf("sign-in")).toBe("skipped");
      for (const { stdout, stderr } of [right, wrong]) {
        expect(stdout + stderr).not.toContain("another-secret");
        expect(stdout + stderr).not.toContain(clientSecret);
      }
    },
  );

  it("signs in as a public client, whose scripts can read the responses", async () => {
    const { clientId } = await createClient({ public: true, redirectUris: ["https://spa.example/callback"] });
    const { findings, textOf, stateOf } = await tryClient([clientId], signsIn);
    expect(findings.filter(({ state }) => state === "failed")).toEqual([]);
    expect([stateOf("sign-in"), stateOf("CORS")]).toEqual(["ok", "ok"]);
    expect(textOf("CORS")).toContain("scripts of https://spa.example can read");
  });

  it("names the difference of a redirect URI that the application sends", async () => {
    const { clientId } = await createClient({ redirectUris: ["http://localhost:8080/login/oauth2/code/gatehouse"] });
    const sent = "http://127.0.0.1:8080/login/oauth2/code/gatehouse";
    const { exitCode, stateOf, textOf } = await tryClient([clientId, "--redirect-uri", sent], signsIn);
    expect([exitCode, stateOf(`redirect URI ${sent}`), stateOf("sign-in")]).toEqual([1, "failed", "skipped"]);
    expect(textOf(`redirect URI ${sent}`)).toContain("differs from the registered one in: host");
  });

  it.each([
    [400, "ok"],
    [204, "warning"],
    [404, "failed"],
  ] as const)("posts no logout token to the back channel: %i is %s", async (status, state) => {
    const place = await openPlace();
    try {
      place.serve((_request, response) => response.writeHead(status).end());
      const { clientId } = await createClient({ backchannelLogoutUri: `${place.url}/bye` });
      expect((await tryClient([clientId])).stateOf("back-channel logout")).toBe(state);
    } finally {
      await place.close();
    }
  });

  it("reports a back channel that is not reachable", async () => {
    const { clientId } = await createClient({ backchannelLogoutUri: "http://localhost:9/bye" });
    expect((await tryClient([clientId])).stateOf("back-channel logout")).toBe("failed");
  });

  it("names scopes that are not registered", async () => {
    const { clientId } = await createClient({ scopes: ["openid"] });
    const { stateOf, textOf } = await tryClient([clientId, "--scope", "openid", "--scope", "orders"]);
    expect(stateOf("scopes")).toBe("failed");
    expect(textOf("scopes")).toContain("not registered for the client: orders");
  });

  it.each([
    ["query", "ok"],
    ["fragment", "ok"],
    ["form_post", "skipped"],
  ] as const)("of a client that is limited to %s: the sign-in is %s", async (mode, state) => {
    const { clientId, redirectUri } = await createClient({ responseModes: [mode] });
    const { stateOf } = await tryClient([clientId], signsIn);
    expect([stateOf(`redirect URI ${redirectUri}`), stateOf("sign-in")]).toEqual(["ok", state]);
  });

  it("reports a sign-in that the user refused, an address of another page, and one that belongs to no request", async () => {
    const { clientId, redirectUri } = await createClient();
    for (const [answer, found] of [
      [`${redirectUri}#error=access_denied&error_description=no&state=x`, "access_denied: no"],
      ["https://evil.example/#code=x&state=y", "the browser is not at the redirect URI"],
      ["nonsense", "not an address"],
      [`${redirectUri}#code=x&state=forged&iss=${server.url}`, "state"],
    ] as const) {
      const { exitCode, stateOf, textOf } = await tryClient([clientId], async () => answer);
      expect([exitCode, stateOf("sign-in")]).toEqual([1, "failed"]);
      expect(textOf("sign-in")).toContain(found);
    }
  });

  it("reports a user who may not use the client, at the page without access and when the user returns from it", async () => {
    const { name } = await server.groups.create();
    const { clientId } = await createClient({ access: "groups", groups: [name] });
    const atPage: User = async (address) => {
      const browser = server.browser();
      return (await typePassword(browser, await open(browser, address), anna)).url;
    };
    const returns: User = async (address) => {
      const browser = server.browser();
      const page = await typePassword(browser, await open(browser, address), anna);
      const back = await browser.submit(page, page.page().form("/login/no-access"), {}, "Back to the application");
      return (await followRedirects(browser, back)).location;
    };
    for (const user of [atPage, returns]) {
      const { exitCode, stateOf, textOf } = await tryClient([clientId], user);
      expect([exitCode, stateOf("access"), stateOf("sign-in")]).toEqual([1, "ok", "failed"]);
      expect(textOf("access")).toContain(`open to group ${name}`);
      expect(textOf("sign-in")).toContain(`the client is open to group ${name}, and this user is not a member`);
      expect(textOf("sign-in")).toContain(`gatehouse client set ${clientId} --allow-group NAME`);
    }
  });

  it("reports a client that no user may use, and asks for no sign-in", async () => {
    const { clientId } = await createClient({ access: "groups" });
    const { exitCode, stateOf, textOf } = await tryClient([clientId], signsIn);
    expect([exitCode, stateOf("access"), stateOf("sign-in")]).toEqual([1, "failed", "skipped"]);
    expect(textOf("access")).toContain("no user may use it");
  });

  it("checks a resource server without redirect URI, and asks for no sign-in", async () => {
    const { clientId } = await createClient({ redirectUris: [], mayIntrospect: true, postLogoutRedirectUris: [] });
    const { exitCode, stateOf } = await tryClient([clientId]);
    expect([exitCode, stateOf("client authentication"), stateOf("sign-in")]).toEqual([0, "ok", "skipped"]);
  });

  it("records no refusal of a client that works", async () => {
    const { clientId } = await createClient();
    await tryClient([clientId], signsIn);
    const refusals = await lastAuditEvents(server.context, { types: ["client.refused"] }, 1000);
    expect(refusals.filter((event) => event.clientId === clientId)).toEqual([]);
  });

  it("prints what it has found before it asks for the sign-in", async () => {
    const { clientId } = await createClient();
    let seen = "";
    const looks: User = async (_address, printed) => {
      seen = printed;
      return null;
    };
    const { exitCode, stdout, stderr } = await tryClient([clientId], looks, {}, []);
    expect(seen).toMatch(/^ok +client authentication: client_secret_basic with the secret of this installation/m);
    expect(stdout.slice(seen.length)).toMatch(/^- +sign-in: not tried/);
    expect([exitCode, stderr]).toEqual([0, expect.stringMatching(/0 failed, \d not applicable\.\n$/)]);
  });

  it("ends with 1 if no server responds at ISSUER, with 4 for an unknown client", async () => {
    const { clientId } = await createClient();
    const away = await tryClient([clientId], leaves, { ISSUER: "http://localhost:9" });
    expect([away.exitCode, away.stateOf("address")]).toEqual([1, "failed"]);
    expect((await tryClient(["nothing"])).exitCode).toBe(4);
  });
});

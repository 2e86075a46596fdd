import { globalAgent, request as httpsRequest } from "node:https";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { addClient, addUser, databaseOfRun } from "#tests/http/crash/command.ts";
import { signIn } from "#tests/http/oidc/browser-steps.ts";
import { codeOf } from "#tests/http/oidc/responses.ts";
import { createBrowser } from "#tests/support/browser-jar.ts";
import { type ChildServer, startChildServer } from "#tests/support/child-server.ts";
import { freePort } from "#tests/support/free-port.ts";
import { createRelyingParty } from "#tests/support/relying-party.ts";
import { TEST_PASSWORD } from "#tests/support/server.ts";
import { createProxyFolder, type Ports, type ProxyFolder, type RunningProxy } from "./proxy.ts";

/** A secret in URLs that must not occur in the proxy's logs. */
const SECRET = "SECRET-in-a-query";
const FORGED = "203.0.113.66";

/** A client address that differs from the proxy's own loopback address. */
const CLIENT_ADDRESS = "127.0.0.2";

type ProxyKind = {
  name: string;
  start(folder: ProxyFolder, ports: Ports): Promise<RunningProxy>;
  /** Status of the proxy's response while Gatehouse is down. */
  unavailableStatus: number;
  /** The proxy logs no requests, but this text when it starts. */
  logsOnly?: string;
  /** Burst limit of the engine's endpoints per address; omitted if the limit needs a module that the tests lack. */
  engineBurst?: number;
};

type ProxyResponse = { status: number; headers: Record<string, string | string[] | undefined>; body: string };

/** Tests the built program behind a proxy with the shipped configuration. */
export function promisesBehind({ name, start, unavailableStatus, logsOnly, engineBurst }: ProxyKind): void {
  let ports: Ports;
  let issuer: string;
  let folder: ProxyFolder;
  let database: Awaited<ReturnType<typeof databaseOfRun>>;
  let server: ChildServer;
  let proxy: RunningProxy;

  beforeAll(async () => {
    vi.setConfig({ testTimeout: 120_000 });
    const [tls, plain] = [await freePort(), await freePort()];
    issuer = `https://localhost:${tls}`;
    folder = createProxyFolder();
    globalAgent.options.ca = folder.certificate;
    database = await databaseOfRun();
    server = await startChildServer({ env: { ...database.env, ISSUER: issuer, TRUST_PROXY: "127.0.0.1" } });
    ports = { tls, plain, gatehouse: Number(new URL(server.url).port) };
    proxy = await start(folder, ports);
  }, 120_000);

  afterAll(async () => {
    await proxy?.stop();
    await server?.remove();
    await database?.remove();
    folder?.remove();
    delete globalAgent.options.ca;
  }, 60_000);

  const browser = () => createBrowser({ base: issuer });

  /** Sends a request from CLIENT_ADDRESS. */
  function send(
    path: string,
    {
      method = "GET",
      headers = {},
      body = "",
    }: { method?: string; headers?: Record<string, string>; body?: string } = {},
  ): Promise<ProxyResponse> {
    return new Promise((resolve, reject) => {
      const length = method === "POST" ? { "content-length": String(body.length), origin: issuer } : {};
      const target = { host: "127.0.0.1", servername: "localhost", port: ports.tls, path, method };
      const options = { localAddress: CLIENT_ADDRESS, agent: false, ca: folder.certificate };
      const request = httpsRequest(
        { ...target, ...options, headers: { host: `localhost:${ports.tls}`, ...length, ...headers } },
        async (response) => {
          const chunks: Uint8Array[] = [];
          for await (const chunk of response) chunks.push(chunk);
          const text = Buffer.concat(chunks).toString("utf8");
          resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text });
        },
      );
      request.once("error", reject);
      request.end(body);
    });
  }

  const form = { "content-type": "application/x-www-form-urlencoded" };
  const ofLength = (length: number) => ({ method: "POST", headers: form, body: "x".repeat(length) });

  describe(`behind ${name}`, () => {
    test("discovery contains the https URL, which all endpoints use", async () => {
      const published = Object(JSON.parse((await send("/.well-known/openid-configuration")).body));
      expect(published.issuer).toBe(issuer);
      expect(published.token_endpoint).toBe(`${issuer}/oauth2/token`);
    });

    test("a user signs in, with cookies for https and this host only", async () => {
      const client = await addClient(server, "suite");
      const anna = { username: "anna", password: TEST_PASSWORD, displayName: "Name of anna" };
      const { id } = await addUser(server, anna);
      const otherBrowser = browser();
      const party = createRelyingParty({ issuer, client });
      codeOf(await signIn(otherBrowser, party.request(), { ...anna, id }));
      const cookies = otherBrowser.jar.all();
      expect(cookies.length).toBeGreaterThan(1);
      for (const cookie of cookies) expect(cookie).toMatchObject({ secure: true, httpOnly: true });
      expect(cookies.filter(({ name }) => name.startsWith("__Host-")).length).toBeGreaterThan(0);
    });

    test("the log contains the real client address, and no forged one", async () => {
      const marker = "/marker-of-the-address";
      const forged = {
        "x-forwarded-for": FORGED,
        "x-real-ip": FORGED,
        forwarded: `for=${FORGED}`,
        "client-ip": FORGED,
      };
      await send(marker, { headers: { ...forged, "x-forwarded-proto": "http", "x-forwarded-host": "evil.example" } });
      await expect.poll(() => server.output(), { timeout: 30_000 }).toContain(marker);
      const line =
        server
          .output()
          .split("\n")
          .find((text) => text.includes(marker)) ?? "{}";
      expect(JSON.parse(line)).toMatchObject({ address: CLIENT_ADDRESS, status: 404 });
      expect(server.output()).not.toContain(FORGED);
    });

    test("pages have the product's headers, and are not cached", async () => {
      const { headers } = await send("/password-reset/request-form");
      expect(headers).toMatchObject({
        "cache-control": "no-store",
        "strict-transport-security": expect.stringMatching(/^max-age=\d{8}/),
        "content-security-policy": expect.stringContaining("default-src 'none'"),
      });
      expect(headers.server ?? "").not.toMatch(/OpenSSL|1\.22\.\d/);
    });

    test("an authorization request of 50 kB gets through", async () => {
      const long = await send(`/oauth2/auth?client_id=nobody&state=${"x".repeat(50_000)}`);
      expect([long.status, long.headers["content-security-policy"] !== undefined]).toEqual([
        expect.toBeOneOf([303, 400]),
        true,
      ]);
    });

    test("http is redirected to https", async () => {
      const address = "/login?t=a-token-of-plain-http";
      const response = await createBrowser({ base: `http://localhost:${ports.plain}` }).get(address);
      expect([response.status, response.location]).toEqual([308, `${issuer}${address}`]);
    });

    test("during a restart an error page is shown, until Gatehouse is ready", async () => {
      expect(await server.stop()).toBe(0);
      const away = await send(`/login?t=${SECRET}`, { headers: { referer: `${issuer}/x?t=${SECRET}` } });
      expect(away.status).toBe(unavailableStatus);
      expect(away.body).toContain("Please try again in a moment");
      expect(away.body).toContain("gleich noch einmal");
      expect(away.headers["cache-control"]).toBe("no-store");
      await server.start();
      expect((await send("/.well-known/openid-configuration")).status).toBe(200);
    });

    test("a form of 60 kB is read, and one of a megabyte is refused with a page of ours", async () => {
      const read = await send("/login/native", ofLength(60_000));
      expect([read.status, read.body.includes("data-state") || read.body.includes("<h1")]).toEqual([400, true]);
      const refused = await send("/login/native", ofLength(1_000_000));
      expect([refused.status, refused.headers["content-security-policy"] !== undefined]).toEqual([413, true]);
      expect((await send("/login/native", ofLength(3_000_000))).status).toBe(413);
    });

    // Proves requirement 122.
    test("the proxy's log contains no query, no interaction id, and no Referer", async () => {
      const headers = { referer: `${issuer}/x?t=${SECRET}`, "user-agent": SECRET, cookie: `a=${SECRET}` };
      const paths = ["/manage/open?t=", "/login?login_challenge=", "/nowhere?t=", "/oauth2/auth/", "/oauth2/AUTH/"];
      for (const path of paths) await send(`${path}${SECRET}`, { headers });
      await send(`/login/native?t=${SECRET}`, { ...ofLength(3_000_000), headers: { ...form, ...headers } });
      if (logsOnly) {
        expect(await server.stop()).toBe(0);
        for (const path of paths) await send(`${path}${SECRET}`, { headers });
        await server.start();
        expect(folder.logs()).toContain(logsOnly);
        for (const text of [SECRET, "/manage/open", "/nowhere"]) expect(folder.logs()).not.toContain(text);
        return;
      }
      await send("/the-last-request");
      await expect.poll(() => folder.logs(), { timeout: 30_000 }).toContain("/the-last-request");
      const logs = folder.logs();
      expect(logs).not.toContain(SECRET);
      expect(logs).toMatch(new RegExp(`^${CLIENT_ADDRESS} \\[[^\\]]+\\] "GET /manage/open HTTP/1\\.1" \\d{3} `, "m"));
      expect(logs).toContain("/oauth2/auth/...");
    });

    if (engineBurst === undefined) return;
    // Last, because this address is limited afterwards.
    test("the engine's endpoints are limited for each address: 429 with Retry-After, and pages go on", async () => {
      for (const path of ["/oauth2/auth?client_id=nobody", "/userinfo", "/oauth2/token"]) {
        const responses: ProxyResponse[] = [];
        while (responses.length < 3 * engineBurst && responses.at(-1)?.status !== 429) responses.push(await send(path));
        expect([path, responses.at(-1)?.status]).toEqual([path, 429]);
        expect(responses.at(-1)?.headers).toMatchObject({ "retry-after": "10", "cache-control": "no-store" });
        expect(responses.at(-1)?.body).toContain("gleich noch einmal");
      }
      expect((await send("/password-reset/request-form")).status).toBe(200);
      expect((await browser().get("/oauth2/auth?client_id=nobody")).status).toBe(303);
    });
  });
}

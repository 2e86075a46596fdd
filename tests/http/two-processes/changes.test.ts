import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { eq } from "drizzle-orm";
import { decodeJwt, decodeProtectedHeader } from "jose";
import { pino } from "pino";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createContext } from "#app/context.server.ts";
import { verifyAuditChain } from "#app/domain/audit-trail/verify.server.ts";
import { DAY_MS } from "#app/durations.ts";
import { createCleanUp } from "#app/jobs/clean-up.server.ts";
import { KEY_DAYS } from "#app/oidc/key-lifetimes.ts";
import { takeIntoService } from "#app/restore/take-into-service.server.ts";
import { runProgram } from "#tests/http/crash/command.ts";
import { copyOf, findSignedInUser } from "#tests/http/login/live-session.ts";
import { allow, obtainTokens, open, typePassword } from "#tests/http/oidc/browser-steps.ts";
import { codeOf, hasForm } from "#tests/http/oidc/responses.ts";
import { statusAndTarget, visit } from "#tests/http/settings/pages.ts";
import { createSettingsClient } from "#tests/http/settings/steps.ts";
import type { Browser } from "#tests/support/browser-jar.ts";
import { freePort } from "#tests/support/free-port.ts";
import { createRelyingParty, fetchKeys, type RelyingParty, readTokens } from "#tests/support/relying-party.ts";
import type { TestUser } from "#tests/support/server.ts";
import { startTwoServers, type TwoServers } from "./two-servers.ts";

/** A running server applies the change within a second. */
const FOLLOWED_WITHIN_MS = 1_500;

let server: TwoServers;
let application: Server;
let backchannelLogoutUri: string;
let party: RelyingParty;
let anna: TestUser;
let browser: Browser;
/** Logout tokens that the application received. */
const report: string[] = [];

beforeAll(async () => {
  server = await startTwoServers({ AUDIT_RETENTION_DAYS: "30" });
  const port = await freePort();
  application = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    report.push(body);
    response.writeHead(200).end();
  });
  application.listen(port, "127.0.0.1");
  await once(application, "listening");
  backchannelLogoutUri = `http://127.0.0.1:${port}/back-channel`;
  party = await server.parties.create({ firstParty: true, backchannelLogoutUri });
}, 120_000);

afterAll(async () => {
  await server?.close();
  application?.closeAllConnections();
  await new Promise((done) => application?.close(done));
});

beforeEach(async () => {
  report.length = 0;
  anna = await server.users.create();
  browser = server.browser();
});

/** Runs an administrator's command beside both servers. */
async function command(...args: string[]): Promise<Record<string, unknown>> {
  const { code, stdout, stderr } = await runProgram(server.children[0].env, [...args, "--json"]);
  if (code !== 0) throw new Error(`gatehouse ${args.join(" ")} ended with ${code}: ${stderr}`);
  return JSON.parse(stdout);
}

/** Runs the check at each of the two processes. */
async function atBoth(question: () => Promise<void>): Promise<void> {
  const before = [...server.counts()];
  await question();
  const requestCount =
    server.counts().reduce((sum, count) => sum + count, 0) - before.reduce((sum, count) => sum + count, 0);
  // After an even number of requests, the next one would go to the same process again.
  if (requestCount % 2 === 0) await server.browser().get("/healthz");
  await question();
}

describe("at the next request both processes apply", () => {
  test("a blocked user", async () => {
    const { accessToken } = await obtainTokens(browser, party, party.request(), anna);
    await command("user", "block", anna.username);
    await atBoth(async () => {
      expect((await party.userinfo(accessToken)).status).toBe(401);
    });
    await atBoth(async () => {
      expect(await findSignedInUser(party, browser)).toBe("login_required");
    });
  });

  test("ended sessions of a user", async () => {
    const { accessToken } = await obtainTokens(browser, party, party.request(), anna);
    await command("user", "end-sessions", anna.username);
    await atBoth(async () => {
      expect((await party.userinfo(accessToken)).status).toBe(401);
    });
    await atBoth(async () => {
      expect(await findSignedInUser(party, browser)).toBe("login_required");
    });
  });

  test("a withdrawn consent", async () => {
    const settingsClient = await createSettingsClient(server);
    const other = await server.parties.create();
    const visitor = await visit(server, settingsClient, anna);
    const request = other.request();
    const question = await open(visitor.browser, request.url);
    const { accessToken } = readTokens(await other.exchange(codeOf(await allow(visitor.browser, question)), request));
    expect(statusAndTarget(await visitor.send("/manage/applications"))[1]).toContain("status=consent-withdrawn");
    await atBoth(async () => {
      expect((await other.userinfo(accessToken)).status).toBe(401);
    });
    await atBoth(async () => {
      expect(hasForm(await open(visitor.browser, other.request().url), "/consent/accept")).toBe(true);
    });
  });
});

describe("an application that a command closes for a user", () => {
  // Proves requirement 178.
  test("has no usable token at either process, and gets the logout, although requests run at the same moment", async () => {
    const { name } = await server.groups.create();
    const member = await server.users.create({ groupName: name });
    const closing = await server.parties.create({
      scopes: ["openid", "offline"],
      firstParty: true,
      backchannelLogoutUri,
    });
    const request = closing.request({ scope: "openid offline" });
    const tokens = await obtainTokens(browser, closing, request, anna);
    const kept = await obtainTokens(server.browser(), closing, closing.request(), member);
    const later = closing.request();
    const code = codeOf(await open(browser, later.url));
    const closed = command("client", "set", closing.clientId, "--allow-group", name);
    // The application refreshes at both processes until the command has ended. It succeeds until the change.
    let latest = tokens;
    const ended = closed.then(() => true);
    while (!(await Promise.race([ended, Promise.resolve(false)]))) {
      const response = await closing.refresh(latest.refreshToken);
      if (response.status !== 200) break;
      latest = readTokens(response);
    }
    expect(await closed).toMatchObject({ lost_access: 1, groups: [name] });
    const responses = await Promise.all([
      ...[1, 2].map(() => closing.refresh(latest.refreshToken)),
      ...[1, 2].map(() => closing.exchange(code, later)),
    ]);
    expect(responses.map((response) => response.error())).toEqual(responses.map(() => "invalid_grant"));
    await atBoth(async () => {
      expect((await closing.userinfo(latest.accessToken)).status).toBe(401);
    });
    await atBoth(async () => {
      expect((await closing.userinfo(kept.accessToken)).status).toBe(200);
    });
    await expect
      .poll(() => report.map((body) => decodeJwt(new URLSearchParams(body).get("logout_token") ?? "").sub))
      .toEqual([anna.id]);
  });
});

describe("within a second both processes apply", () => {
  test("changed applications: a new redirect URI, another secret, removal", async () => {
    const client = await server.clients.create({ firstParty: true });
    const old = createRelyingParty({ issuer: server.url, client });
    await atBoth(async () => {
      expect((await old.introspect("anything")).json()).toEqual({ active: false });
    });
    const redirectUri = "http://localhost:9/another/callback";
    const { client_secret: secret } = await command("client", "rotate-secret", client.clientId);
    await command("client", "set", client.clientId, "--redirect-uri", redirectUri);
    await sleep(FOLLOWED_WITHIN_MS);
    const renewed = { clientId: client.clientId, clientSecret: String(secret), redirectUri };
    const changed = createRelyingParty({ issuer: server.url, client: renewed });
    await atBoth(async () => {
      expect((await old.introspect("anything")).status).toBe(401);
    });
    await atBoth(async () => {
      expect((await changed.introspect("anything")).json()).toEqual({ active: false });
    });
    await atBoth(async () => {
      expect((await open(server.browser(), old.request().url)).url).toContain("/error?");
      expect(new URL((await open(server.browser(), changed.request().url)).url).pathname).toBe("/login");
    });
    await command("client", "remove", client.clientId, "--yes");
    await sleep(FOLLOWED_WITHIN_MS);
    await atBoth(async () => {
      expect((await open(server.browser(), changed.request().url)).url).toContain("/error?error=invalid_client");
    });
  });

  test("other signing keys; signatures of the old ones stay valid", async () => {
    const before = await obtainTokens(browser, party, party.request(), anna);
    const oldKid = decodeProtectedHeader(before.idToken).kid;
    await command("keys", "rotate", "--now");
    await sleep(FOLLOWED_WITHIN_MS);
    const kids = new Set<string>();
    await atBoth(async () => {
      kids.add((await fetchKeys(server.url)).keys.map(({ kid }) => kid).join());
    });
    expect(kids.size).toBe(1);
    await atBoth(async () => {
      const { idToken } = await obtainTokens(browser, party, party.request(), anna);
      expect(decodeProtectedHeader(idToken).kid).not.toBe(oldKid);
      await party.verifyIdToken(idToken);
      await party.verifyIdToken(before.idToken);
    });
  });
});

describe("exactly once", () => {
  test("an application gets the logout of a user, who is signed out at both processes", async () => {
    await obtainTokens(browser, party, party.request(), anna);
    const copy = copyOf(browser, server.url);
    const page = await open(browser, party.logoutUrl());
    await browser.submit(page, page.page().form("/logout/accept"));
    await atBoth(async () => {
      expect(await findSignedInUser(party, copy)).toBe("login_required");
    });
    // The queue delivers it after the response.
    await expect.poll(() => report.length).toBe(1);
  });

  test("each mail is sent, despite several senders", async () => {
    const testUsers = await Promise.all(Array.from({ length: 8 }, () => server.users.create()));
    // The second sign-in is from a new browser, which queues a mail.
    for (const testUser of testUsers) {
      for (const one of [server.browser(), server.browser()])
        await typePassword(one, await open(one, party.request().url), testUser);
    }
    const addresses = testUsers.map(({ username }) => `${username}@office.example`);
    const deadline = Date.now() + 30_000;
    const arrived = async () => (await server.mails()).map(({ to }) => to).filter((to) => addresses.includes(to));
    while ((await arrived()).length < testUsers.length && Date.now() < deadline) await sleep(50);
    expect((await arrived()).toSorted()).toEqual(addresses.toSorted());
    // Each mail was sent by one process, in one attempt, which the process records after the delivery.
    const { mailOutbox } = server.context.store.t;
    const attempts = async () => {
      const rows = await server.context.store.q.select().from(mailOutbox);
      const own = rows.filter(({ recipient }) => addresses.includes(recipient));
      return own.map((row) => [row.attempts, row.nextAttemptAt]);
    };
    await expect.poll(attempts).toEqual(addresses.map(() => [1, null]));
  }, 60_000);

  test("old events are removed and due keys rotated, although several processes clean up simultaneously", async () => {
    const { store, config } = server.context;
    const { auditEvents, signingKeys } = store.t;
    const others = await Promise.all(
      [1, 2].map(() => createContext({ config, log: pino({ level: "silent" }), epochOf: takeIntoService })),
    );
    try {
      const [first] = await store.q.select().from(auditEvents).orderBy(auditEvents.sequence).limit(1);
      await store.q
        .update(auditEvents)
        .set({ at: new Date(Date.now() - 40 * DAY_MS) })
        .where(eq(auditEvents.sequence, first?.sequence ?? 0));
      const due = new Date(Date.now() - (KEY_DAYS + 1) * DAY_MS);
      await store.q.update(signingKeys).set({ createdAt: due, activatedAt: due });
      const countOf = async (wanted: string) => store.q.$count(auditEvents, eq(auditEvents.type, wanted));
      const before = await countOf("key.activated");
      await Promise.all(others.map((context) => createCleanUp(context).run()));
      expect(await countOf("audit.trimmed")).toBe(1);
      // One key of each algorithm.
      expect((await countOf("key.activated")) - before).toBe(2);
      const keys = await store.q.select().from(signingKeys);
      const current = keys.filter(({ state, activatedAt }) => state === "current" && activatedAt && activatedAt > due);
      expect(current.map(({ alg }) => alg).toSorted()).toEqual(["ES256", "RS256"]);
      // The audit chain is intact after the removal of old events.
      expect((await verifyAuditChain({ store })).brokenCount).toBe(0);
    } finally {
      await Promise.all(others.map((context) => context.store.close()));
    }
  });

  test("no error was logged by either process", () => {
    expect(server.lines().length).toBeGreaterThan(100);
    expect(server.lines().filter(({ level }) => Number(level) >= 50)).toEqual([]);
  });
});

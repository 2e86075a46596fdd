import { generateKeyPairSync } from "node:crypto";
import { existsSync, statSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import { createServer as createTcpServer, type Server } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import { describe, expect, it, onTestFinished } from "vitest";
import { z } from "zod";
import { runChecks } from "#app/cli/doctor/check.server.ts";
import { SUPPORT_CHECKS } from "#app/cli/doctor/support-checks.server.ts";
import { RELEASE_SUPPORT_DAYS } from "#app/cli/doctor/support-dates.ts";
import { readReleaseDate, readVersion } from "#app/config/version.server.ts";
import { openStore, type Store } from "#app/db/store.server.ts";
import { DAY_MS, DAY_SECONDS } from "#app/durations.ts";
import { certificate } from "#tests/support/attestation-certificate.ts";
import { freePort } from "#tests/support/free-port.ts";
import { drawClientCertificate, drawServiceAccount } from "#tests/support/mail-credentials.ts";
import { readText } from "#tests/support/source-tree.ts";
import { refuseLikeEntra, startTokenEndpoint, startTokenSmtp } from "#tests/support/token-endpoint.ts";
import { fixedClock } from "#tests/unit/domain/fixtures.ts";
import { createInstallation, createNewInstallation, type Installation } from "./terminal.ts";

const report = z.object({
  findings: z.array(z.object({ check: z.string(), state: z.string(), found: z.string(), fix: z.string().nullable() })),
});

async function examine({ gatehouse }: Installation, env: Readonly<Record<string, string>> = {}) {
  const { findings } = report.parse((await gatehouse(["doctor", "--json"], { env })).json());
  return (name: string) => findings.find(({ check }) => check === name);
}

/** Creates an installation with a user, whose database was in service. */
async function installed() {
  const installation = await createInstallation();
  await installation.gatehouse(["user", "add", "anna", "--display-name", "Anna", "--email", "anna@example.com"]);
  return installation;
}

const fileOf = ({ env }: Installation) => env["DATABASE_URL"]?.replace("sqlite:", "") ?? "";

async function change(installation: Installation, work: (store: Store) => Promise<unknown>) {
  const store = await openStore({ dialect: "sqlite", file: fileOf(installation) });
  try {
    await work(store);
  } finally {
    await store.close();
  }
}

async function listening(server: Server): Promise<number> {
  const port = await freePort();
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return port;
}

const inDays = (days: number) => new Date(Date.now() + days * DAY_MS);
const dayText = (at: Date) => at.toISOString().slice(0, 10);

describe("doctor finds a program on the port that is not this server:", () => {
  const responding = (respond: RequestListener) => createServer(respond);

  it("another web server", async () => {
    const port = await listening(responding((_request, response) => response.end("<h1>It works!</h1>")));
    const of = await examine(await installed(), { PORT: String(port) });
    expect(of("server")).toMatchObject({
      state: "failed",
      found: expect.stringContaining("another program responds"),
      fix: expect.stringContaining(`sport = :${port}`),
    });
  });

  it("a program that does not speak HTTP", async () => {
    const port = await listening(createTcpServer((socket) => socket.end("220 mail.example.com ESMTP\r\n")));
    const of = await examine(await installed(), { PORT: String(port) });
    expect(of("server")).toMatchObject({ state: "failed", found: expect.stringContaining("does not respond like") });
  });

  it("a Gatehouse with another ISSUER", async () => {
    const server = responding((request, response) => {
      response.statusCode = request.url === "/readyz" ? 200 : 421;
      response.end(JSON.stringify({ status: "ready", checks: {} }));
    });
    const port = await listening(server);
    const of = await examine(await installed(), { PORT: String(port) });
    expect(of("server")).toMatchObject({ state: "failed", found: expect.stringContaining("another ISSUER") });
  });

  it("none, if nothing listens", async () => {
    const of = await examine(await installed(), { PORT: String(await freePort()) });
    expect(of("server")).toMatchObject({ state: "warning", found: expect.stringContaining("ECONNREFUSED") });
  });
});

describe("doctor examines the certificate of the public address:", () => {
  it.each([
    ["ends in 40 days", 40.5, "ok"],
    ["ends in 13 days", 13.5, "warning"],
    ["ended yesterday", -1, "failed"],
  ])("one that %s", async (_what, days, state) => {
    const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    const endsAt = inDays(days);
    const der = certificate({ name: "localhost", issuer: "localhost", publicKey, issuerKey: privateKey, endsAt });
    const cert = `-----BEGIN CERTIFICATE-----\n${der.toString("base64")}\n-----END CERTIFICATE-----\n`;
    const key = privateKey.export({ type: "pkcs8", format: "pem" });
    const port = await listening(createTlsServer({ cert, key }));
    const of = await examine(await installed(), { ISSUER: `https://localhost:${port}` });
    expect(of("certificate")).toMatchObject({ state, found: expect.stringContaining(dayText(endsAt)) });
  });

  it("none over http, and none that cannot be reached", async () => {
    const installation = await installed();
    expect((await examine(installation))("certificate")).toMatchObject({ state: "skipped" });
    const of = await examine(installation, { ISSUER: `https://localhost:${await freePort()}` });
    expect(of("certificate")).toMatchObject({ state: "skipped", found: expect.stringContaining("ECONNREFUSED") });
  });
});

describe("doctor examines the credential of the mail server:", () => {
  const client = {
    SMTP_URL: "smtp://127.0.0.1:1",
    MAIL_FROM: "login@example.com",
    MAIL_OAUTH_TOKEN_URL: "http://127.0.0.1:1/token",
    MAIL_OAUTH_SCOPE: "smtp",
    MAIL_OAUTH_CLIENT_ID: "client",
  };
  const secret = { ...client, MAIL_OAUTH_CLIENT_SECRET: "secret" };

  it.each([
    ["a secret that ends in 40 days", { ...secret, MAIL_OAUTH_SECRET_EXPIRES: dayText(inDays(40)) }, "ok"],
    ["a secret that ends in 20 days", { ...secret, MAIL_OAUTH_SECRET_EXPIRES: dayText(inDays(20)) }, "warning"],
    ["a secret that has ended", { ...secret, MAIL_OAUTH_SECRET_EXPIRES: dayText(inDays(-2)) }, "failed"],
    ["a secret of which the end is unknown", secret, "warning"],
    ["a certificate", { ...client, MAIL_OAUTH_CERTIFICATE: drawClientCertificate() }, "ok"],
    [
      "a service account",
      {
        SMTP_URL: client.SMTP_URL,
        MAIL_FROM: client.MAIL_FROM,
        MAIL_OAUTH_SERVICE_ACCOUNT: drawServiceAccount("http://127.0.0.1:1/"),
      },
      "ok",
    ],
    ["none", {}, "skipped"],
  ])("%s", async (_what, env, state) => {
    const of = await examine(await installed(), env);
    expect(of("mail credential")).toMatchObject({ state });
  });

  it("and whether it still gets a token that the mail server accepts", async () => {
    const endpoint = await startTokenEndpoint();
    const smtp = await startTokenSmtp();
    onTestFinished(async () => {
      await smtp.close();
      await endpoint.close();
    });
    const installation = await installed();
    const env = { ...secret, SMTP_URL: smtp.url, MAIL_OAUTH_TOKEN_URL: endpoint.url };
    expect((await examine(installation, env))("mail server")).toMatchObject({ state: "ok" });
    endpoint.respondWith(refuseLikeEntra(401, "invalid_client", 7000222));
    expect((await examine(installation, env))("mail server")).toMatchObject({
      state: "failed",
      found: "the client secret has expired (AADSTS7000222)",
      fix: expect.stringContaining("Create a new client secret"),
    });
  });
});

describe("doctor finds a mail queue that stands:", () => {
  async function withMail(values: { lastError: string | null; failedAt: Date | null }) {
    const installation = await installed();
    const args = ["user", "set-password", "anna", "--password-stdin"];
    await installation.gatehouse(args, { input: "Ledger-Window-27-Oak" });
    const nextAttemptAt = values.failedAt === null ? new Date() : null;
    const queued = { ...values, nextAttemptAt, createdAt: new Date(Date.now() - 2 * 3_600_000) };
    await change(installation, (store) => store.q.update(store.t.mailOutbox).set(queued));
    return (await examine(installation))("mail queue");
  }

  it("no server has tried to send its mails", async () => {
    const finding = await withMail({ lastError: null, failedAt: null });
    expect(finding).toMatchObject({
      state: "failed",
      found: expect.stringMatching(/1 waiting mails .* 120 minutes, without/),
    });
  });

  it("each attempt fails, for a reason that it names", async () => {
    const finding = await withMail({ lastError: "the client secret has expired (AADSTS7000222)", failedAt: null });
    expect(finding).toMatchObject({ state: "warning", found: expect.stringContaining("(AADSTS7000222)") });
  });

  it("mails were given up", async () => {
    const finding = await withMail({ lastError: "it is too old", failedAt: new Date() });
    expect(finding).toMatchObject({ state: "warning", fix: expect.stringContaining("gatehouse mail retry") });
  });
});

describe("doctor examines the age of the programs, without the network:", () => {
  async function findings(input: { days?: number; nodeVersion?: string }) {
    const clock = fixedClock(readReleaseDate()?.toISOString());
    clock.advance((input.days ?? 0) * DAY_SECONDS);
    const found = await runChecks(SUPPORT_CHECKS, {
      clock,
      ...(input.nodeVersion ? { nodeVersion: input.nodeVersion } : {}),
    });
    return (name: string) => found.find(({ check }) => check === name)?.state;
  }

  it.each([
    [RELEASE_SUPPORT_DAYS, "ok"],
    [RELEASE_SUPPORT_DAYS + 1, "warning"],
    [RELEASE_SUPPORT_DAYS + 184, "failed"],
  ])("a Gatehouse of %d days", async (days, state) => {
    expect((await findings({ days }))("version of Gatehouse")).toBe(state);
  });

  it.each([
    ["24.1.0", "ok"],
    ["25.1.0", "warning"],
    ["23.1.0", "failed"],
    ["99.0.0", "ok"],
  ])("Node %s", async (nodeVersion, state) => {
    expect((await findings({ nodeVersion }))("version of Node")).toBe(state);
  });

  it("the date of this release is that of CHANGELOG.md", () => {
    expect(readText("CHANGELOG.md")).toContain(
      `## [${readVersion()}] - ${dayText(readReleaseDate() ?? new Date(0))}\n`,
    );
  });
});

describe("doctor changes nothing:", () => {
  // Proves requirement 175.
  it("it creates no database", async () => {
    const installation = await createNewInstallation();
    const of = await examine(installation);
    expect(of("database")).toMatchObject({ state: "failed", fix: expect.stringContaining("gatehouse migrate") });
    expect(existsSync(fileOf(installation))).toBe(false);
  });

  // Proves requirement 175.
  it("it applies no migration", async () => {
    const installation = await installed();
    const newest = "SELECT name FROM schema_migrations ORDER BY name DESC LIMIT 1";
    let name = "";
    await change(installation, async (store) => {
      const [row] = z.array(z.object({ name: z.string() })).parse(await store.execute(newest));
      name = row?.name ?? "";
      await store.execute(`DELETE FROM schema_migrations WHERE name = '${name}'`);
    });
    const of = await examine(installation);
    expect(of("database")).toMatchObject({ state: "failed", found: expect.stringContaining(name) });
    await change(installation, async (store) => expect(await store.execute(newest)).not.toEqual([{ name }]));
  });

  // Proves requirement 175.
  it("it takes no restored database into service", async () => {
    const installation = await installed();
    const instanceOf = async () => {
      let rows: unknown[] = [];
      await change(installation, async (store) => {
        await store.execute("PRAGMA user_version = 1");
        rows = await store.q.select().from(store.t.instance);
      });
      return rows;
    };
    const before = await instanceOf();
    const of = await examine(installation);
    expect(of("database")).toMatchObject({ state: "failed", found: expect.stringContaining("restored") });
    expect(await instanceOf()).toEqual(before);
  });

  it("neither does doctor --plan, and the audit file stays as it is", async () => {
    const installation = await installed();
    const audit = fileOf(installation).replace(/[^/]*$/, "audit.jsonl");
    const sizeOf = () => (existsSync(audit) ? statSync(audit).size : 0);
    const before = sizeOf();
    expect(before).toBeGreaterThan(0);
    await installation.gatehouse(["doctor", "--plan", "issuer=https://login.example.com"]);
    await examine(installation);
    expect(sizeOf()).toBe(before);
  });
});

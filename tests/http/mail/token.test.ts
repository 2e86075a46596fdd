import { afterEach, describe, expect, onTestFinished, test } from "vitest";
import { addUser, databaseOfRun, runProgram } from "#tests/http/crash/command.ts";
import { type ChildServer, startChildServer } from "#tests/support/child-server.ts";
import { TEST_PASSWORD } from "#tests/support/server.ts";
import {
  EXCHANGE_CLAIMS,
  EXCHANGE_REFUSALS,
  refuseLikeEntra,
  startTokenEndpoint,
  startTokenSmtp,
} from "#tests/support/token-endpoint.ts";

const SECRET = "hush-client-secret";
const MAILBOX = "login@office.example";

let server: ChildServer | null = null;

afterEach(async () => {
  await server?.remove();
  server = null;
});

/** Starts a token endpoint and a mail server; `env` is the configuration that uses both. */
async function startMail({ refuse, claims }: { refuse?: (token: string) => string | null; claims?: object } = {}) {
  const endpoint = await startTokenEndpoint(claims);
  const smtp = await startTokenSmtp(refuse);
  onTestFinished(async () => {
    await smtp.close();
    await endpoint.close();
  });
  const env = {
    SMTP_URL: smtp.url,
    MAIL_FROM: `Office <${MAILBOX}>`,
    MAIL_OAUTH_TOKEN_URL: endpoint.url,
    MAIL_OAUTH_SCOPE: "https://outlook.office365.com/.default",
    MAIL_OAUTH_CLIENT_ID: "client",
    MAIL_OAUTH_CLIENT_SECRET: SECRET,
  };
  return { endpoint, smtp, env };
}

/** Runs `gatehouse mail test`, and checks that it prints neither token nor secret. */
async function mailTest({ endpoint, env }: Awaited<ReturnType<typeof startMail>>) {
  const database = await databaseOfRun();
  onTestFinished(database.remove);
  const own = {
    PATH: process.env.PATH,
    SECRET_KEYS: "a secret key that only the tests know",
    APP_URL: "http://localhost/app",
    IMPRINT_URL: "http://localhost/imprint",
    ...database.env,
    ...env,
  };
  const ended = await runProgram({ ...own, NODE_ENV: "production" }, ["mail", "test", "anna@example.com"]);
  requireNoSecret(ended.stdout + ended.stderr, endpoint.issued);
  return ended;
}

function requireNoSecret(text: string, tokens: readonly string[]): void {
  expect(text).not.toContain(SECRET);
  for (const token of tokens) {
    expect(text).not.toContain(token);
    expect(text).not.toContain(Buffer.from(`user=${MAILBOX}\u0001auth=Bearer ${token}`).toString("base64"));
  }
}

describe("gatehouse mail test", () => {
  test("prints where the token is from, and who signs in", async () => {
    const mail = await startMail();
    const { code, stdout } = await mailTest(mail);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^token {7}issued by 127\.0\.0\.1:\d+, valid for (59|60) minutes$/m);
    expect(stdout).toContain(`account     authenticated as ${MAILBOX}\n`);
    expect(await mail.smtp.mails()).toMatchObject([{ to: "anna@example.com", from: MAILBOX }]);
  });

  // Proves requirement 174.
  test.each([
    ["tenant", refuseLikeEntra(400, "invalid_request", 90002), "MAIL_OAUTH_TENANT"],
    ["client", refuseLikeEntra(400, "unauthorized_client", 700016), "Application (client) ID"],
    ["secret", refuseLikeEntra(401, "invalid_client", 7000215), "not its Secret ID"],
    ["expired secret", refuseLikeEntra(401, "invalid_client", 7000222), "Create a new client secret"],
  ])("says which is wrong and what to do: %s", async (_what, respond, advice) => {
    const mail = await startMail();
    mail.endpoint.respondWith(respond);
    const { code, stderr } = await mailTest(mail);
    expect(code).toBe(1);
    expect(stderr).toMatch(/The mail was not sent: .*\(AADSTS\d+\)\./);
    expect(stderr).toContain(advice);
  });

  test.each([
    ["SMTP AUTH is off", EXCHANGE_REFUSALS.mailboxOff, EXCHANGE_CLAIMS, "Set-CASMailbox"],
    ["the permission is missing", EXCHANGE_REFUSALS.unsuccessful, { ...EXCHANGE_CLAIMS, roles: [] }, "SMTP.SendAsApp"],
    ["the mailbox is not the application's", EXCHANGE_REFUSALS.unsuccessful, EXCHANGE_CLAIMS, "Add-MailboxPermission"],
  ])("says that %s and what to do", async (_what, refusal, claims, advice) => {
    const { code, stderr } = await mailTest(await startMail({ refuse: () => refusal, claims }));
    expect(code).toBe(1);
    expect(stderr).toContain(`Response of the server: 535 ${refusal}`);
    expect(stderr).toContain(advice);
  });
});

describe("a server", () => {
  /** Starts a server and changes a password beside it, which queues a mail. */
  async function withMail(mail: Awaited<ReturnType<typeof startMail>>) {
    const database = await databaseOfRun();
    onTestFinished(database.remove);
    server = await startChildServer({ env: { ...database.env, ...mail.env } });
    return server;
  }

  async function changePassword({ env }: ChildServer, username: string) {
    await runProgram(env, ["user", "set", username, "--email", "anna@example.com"]);
    const args = ["user", "set-password", username, "--password-stdin"];
    expect(await runProgram(env, args, { stdin: "Ledger-Window-27-Oak" })).toMatchObject({ code: 0 });
  }

  // Proves requirement 174.
  test("sends the mails of its queue with a token, which is in no log line", async () => {
    const mail = await startMail();
    const running = await withMail(mail);
    await addUser(running, { username: "anna", password: TEST_PASSWORD });
    await changePassword(running, "anna");
    await expect.poll(() => mail.smtp.mails(), { timeout: 20_000 }).toHaveLength(1);
    await expect.poll(() => running.output()).toContain('"msg":"mail sent"');
    requireNoSecret(running.output(), mail.endpoint.issued);
  });

  // Proves requirement 174.
  test("logs why the mails of its queue are not sent, without what was sent", async () => {
    const mail = await startMail();
    mail.endpoint.respondWith(refuseLikeEntra(401, "invalid_client", 7000222));
    const running = await withMail(mail);
    await addUser(running, { username: "anna", password: TEST_PASSWORD });
    await changePassword(running, "anna");
    await expect
      .poll(() => running.output(), { timeout: 20_000 })
      .toContain("the client secret has expired (AADSTS7000222)");
    expect(running.output()).toContain('"fix":"Create a new client secret');
    requireNoSecret(running.output(), mail.endpoint.issued);
  });
});

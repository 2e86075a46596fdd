import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { SMTPServerOptions } from "smtp-server";
import { describe, expect, it, onTestFinished } from "vitest";
import { readMail } from "#tests/support/mails.ts";
import { startSmtp } from "#tests/support/smtp.ts";
import { createInstallation, createNewInstallation } from "./terminal.ts";

const ANNA = ["user", "add", "anna.berger", "--display-name", "Anna Berger", "--email", "anna@example.com"];
const PASSWORD = { input: "Ledger-Window-27-Oak" };

async function smtp(options: SMTPServerOptions = {}) {
  const server = await startSmtp(options);
  onTestFinished(server.close);
  return server;
}

describe("mail test", () => {
  it("prints each step of a delivery", async () => {
    const { gatehouse } = await createInstallation();
    const server = await smtp({ banner: "office mail" });
    const { exitCode, stdout } = await gatehouse(["mail", "test", "anna@example.com"], {
      env: { SMTP_URL: server.url },
    });
    expect(exitCode).toBe(0);
    expect(stdout.split("\n").map((line) => line.split(/ {2,}/)[0])).toEqual([
      ...["resolve", "connect", "greeting", "encryption", "accepted", ""],
    ]);
    expect(stdout).toMatch(
      /resolve {5}127\.0\.0\.1 is 127\.0\.0\.1\nconnect {5}127\.0\.0\.1, port \d+\ngreeting {4}220 .*office mail/,
    );
    expect(stdout).toContain("none: the server does not offer TLS");
    expect(await server.mails()).toMatchObject([{ to: "anna@example.com", subject: "Test e-mail from Gatehouse" }]);
  });

  it("accepts umlauts, and says what to do if the server does not support them before the @", async () => {
    const { gatehouse } = await createInstallation();
    const server = await smtp({ hideSMTPUTF8: true });
    const env = { SMTP_URL: server.url };
    expect((await gatehouse(["mail", "test", "a&b@müller.example"], { env })).exitCode).toBe(0);
    expect(await server.mails()).toMatchObject([{ to: "a&b@xn--mller-kva.example" }]);
    const refused = await gatehouse(["mail", "test", "jörg@office.example"], { env });
    expect(refused.exitCode).toBe(1);
    expect(refused.stderr).toContain("Use another address for the recipient, or a mail server that offers SMTPUTF8.");
    const none = await gatehouse(["mail", "test", "anna@müller/x.example"], { env });
    expect(none).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("is not a mail address") });
  });

  it("prints the user name, and never the password", async () => {
    const { gatehouse } = await createInstallation();
    const server = await smtp({
      authOptional: false,
      allowInsecureAuth: true,
      onAuth: ({ username, password }, _session, done) =>
        password === "pass-word" ? done(null, { user: username }) : done(new Error("Invalid login")),
    });
    const urlOf = (password: string) => ({ SMTP_URL: `smtp://gate:${password}@127.0.0.1:${server.port}` });
    const right = await gatehouse(["mail", "test", "anna@example.com"], { env: urlOf("pass-word") });
    expect(right.stdout).toContain("account     authenticated as gate\n");
    expect(right.stdout + right.stderr).not.toContain("pass-word");
    const wrong = await gatehouse(["mail", "test", "anna@example.com"], { env: urlOf("guessed") });
    expect(wrong.exitCode).toBe(1);
    expect(wrong.stderr).toContain("rejected user name or password (535)");
    expect(wrong.stderr).toContain("SMTP_URL");
    expect(wrong.stdout + wrong.stderr).not.toContain("guessed");
  });

  it("shows the server's own words when it refuses, and what to look at", async () => {
    const { gatehouse } = await createInstallation();
    const server = await smtp({
      onRcptTo: (_address, _session, done) => done(Object.assign(new Error("no such desk"), { responseCode: 550 })),
    });
    const { exitCode, stderr } = await gatehouse(["mail", "test", "a@example.com"], { env: { SMTP_URL: server.url } });
    expect(exitCode).toBe(1);
    expect(stderr).toContain("refused the recipient (550)");
    expect(stderr).toContain("Response of the server: 550 no such desk");
  });

  it("reports a refused connection and an unknown host name", async () => {
    const { gatehouse } = await createInstallation();
    const server = await startSmtp();
    await server.close();
    const gone = await gatehouse(["mail", "test", "a@example.com"], { env: { SMTP_URL: server.url } });
    expect(gone.exitCode).toBe(1);
    expect(gone.stderr).toContain("refused the connection");
    const unknown = await gatehouse(["mail", "test", "a@example.com"], { env: { SMTP_URL: "smtp://mail.invalid:25" } });
    expect(unknown.exitCode).toBe(1);
    expect(unknown.stderr).toContain("the host name of the mail server cannot be resolved");
  });

  it("prints JSON, too", async () => {
    const { gatehouse } = await createInstallation();
    const server = await smtp();
    const { json } = await gatehouse(["mail", "test", "a@example.com", "--json"], { env: { SMTP_URL: server.url } });
    expect(json()).toMatchObject({ ok: true, problem: null, steps: expect.arrayContaining([expect.anything()]) });
  });

  it("prints the folder of the file without SMTP_URL", async () => {
    const { gatehouse, env } = await createInstallation();
    const { exitCode, stdout } = await gatehouse(["mail", "test", "a@example.com"], { env: { SMTP_URL: "" } });
    const outbox = join(dirname(env["DATABASE_URL"]?.replace("sqlite:", "") ?? ""), "outbox");
    expect(exitCode).toBe(0);
    expect(stdout).toContain(outbox);
    const [file = ""] = readdirSync(outbox);
    expect(await readMail(readFileSync(join(outbox, file)))).toMatchObject({ to: "a@example.com" });
  });

  it("refuses an invalid address", async () => {
    const { gatehouse, env } = await createNewInstallation();
    expect((await gatehouse(["mail", "test", "anna"])).exitCode).toBe(2);
    expect(existsSync(env["DATABASE_URL"]?.replace("sqlite:", "") ?? "")).toBe(false);
  });
});

describe("mail queue", () => {
  it("is empty at first, and then lists what waits, without its content", async () => {
    const { gatehouse } = await createInstallation();
    const empty = await gatehouse(["mail", "queue"]);
    expect([empty.exitCode, empty.stdout]).toEqual([0, ""]);
    await gatehouse(ANNA);
    await gatehouse(["user", "set-password", "anna.berger", "--password-stdin"], PASSWORD);
    const { stdout } = await gatehouse(["mail", "queue"]);
    expect(stdout).toMatch(/^ID\s+KIND\s+RECIPIENT\s+ATTEMPTS\s+NEXT ATTEMPT\s+LAST ERROR\n/);
    expect(stdout).toMatch(/^[0-9a-f]{32} {2}password-changed {2}anna@example\.com {2}0 .* UTC {2}-$/m);
    const { json } = await gatehouse(["mail", "queue", "--json"]);
    expect(json()).toEqual([
      expect.objectContaining({
        kind: "password-changed",
        recipient: "anna@example.com",
        attempts: 0,
        last_error: null,
      }),
    ]);
    expect(JSON.stringify(json())).not.toContain("sealed");
  });

  it("contains no mail for a user without an address", async () => {
    const { gatehouse } = await createInstallation();
    await gatehouse(ANNA.slice(0, -2));
    await gatehouse(["user", "set-password", "anna.berger", "--password-stdin"], PASSWORD);
    expect((await gatehouse(["mail", "queue", "--json"])).json()).toEqual([]);
  });
});

describe("mail retry", () => {
  it("makes mails due, which a running server sends, and lists them", async () => {
    const { gatehouse } = await createInstallation();
    const empty = await gatehouse(["mail", "retry"]);
    expect([empty.exitCode, empty.stdout]).toEqual([0, ""]);
    await gatehouse(ANNA);
    await gatehouse(["user", "set-password", "anna.berger", "--password-stdin"], PASSWORD);
    const { exitCode, stdout } = await gatehouse(["mail", "retry"]);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^[0-9a-f]{32} {2}password-changed {2}anna@example\.com {2}is due now$/m);
    const { json } = await gatehouse(["mail", "retry", "--json"]);
    expect(json()).toEqual([expect.objectContaining({ recipient: "anna@example.com", outcome: "due" })]);
    expect(JSON.stringify(json())).not.toContain("sealed");
  });

  it("ends with 4 for an unknown id", async () => {
    const { gatehouse } = await createInstallation();
    const done = await gatehouse(["mail", "retry", "0f1e"]);
    expect(done).toMatchObject({ exitCode: 4, stderr: expect.stringContaining("No unsent mail has the id 0f1e.") });
  });
});

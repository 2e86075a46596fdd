import { execFile } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { certificate, subjectAlternativeNames } from "#tests/support/attestation-certificate.ts";
import { startSmtp } from "#tests/support/smtp.ts";
import { ROOT } from "#tests/support/source-tree.ts";

const PASSWORD = "pass-word";

/** Starts a mail server that accepts authentication only after STARTTLS, with a certificate of its own authority. */
async function startInstallation() {
  const folder = mkdtempSync(join(tmpdir(), "gatehouse-starttls-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const name = "localhost";
  const extensions = [subjectAlternativeNames(name)];
  const der = certificate({ name, issuer: name, publicKey, issuerKey: privateKey, extensions });
  const pem = `-----BEGIN CERTIFICATE-----\n${der.toString("base64")}\n-----END CERTIFICATE-----\n`;
  const authority = join(folder, "authority.pem");
  writeFileSync(authority, pem);
  const lines = { encrypted: 0, open: 0 };
  const server = await startSmtp({
    disabledCommands: [],
    authOptional: false,
    cert: pem,
    key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
    onAuth({ username, password }, session, done) {
      lines[session.secure ? "encrypted" : "open"] += 1;
      return password === PASSWORD ? done(null, { user: username ?? "" }) : done(new Error("Invalid login"));
    },
  });
  onTestFinished(server.close);
  const smtpUrl = `smtp://gate:${PASSWORD}@localhost:${server.port}`;
  return {
    server,
    lines,
    authority,
    mailTest: (env: Readonly<Record<string, string>>) => mailTest(folder, { SMTP_URL: smtpUrl, ...env }),
  };
}

/** Runs `gatehouse mail test` as its own process, because Node reads the trusted authorities at its start. */
function mailTest(folder: string, env: Readonly<Record<string, string>>) {
  const own = {
    NODE_ENV: "production" as const,
    PATH: process.env.PATH,
    SECRET_KEYS: "a secret key that only the tests know",
    APP_URL: "http://localhost/app",
    IMPRINT_URL: "http://localhost/imprint",
    DATABASE_URL: `sqlite:${join(folder, "gatehouse.sqlite")}`,
    ...env,
  };
  const args = [join(ROOT, "build/main.js"), "mail", "test", "anna@example.com"];
  return new Promise<{ exitCode: number; stdout: string; stderr: string }>((resolve) => {
    const child = execFile(process.execPath, args, { cwd: folder, env: own }, (_error, stdout, stderr) =>
      resolve({ exitCode: child.exitCode ?? 1, stdout, stderr }),
    );
  });
}

test("a mail server with STARTTLS gets the mail, and the password over TLS only", async () => {
  const { server, lines, authority, mailTest } = await startInstallation();
  const { exitCode, stdout, stderr } = await mailTest({ NODE_EXTRA_CA_CERTS: authority });
  expect([exitCode, stderr]).toEqual([0, expect.not.stringContaining("not sent")]);
  expect(stdout).toContain("encryption  TLS\n");
  expect(stdout).toContain("account     authenticated as gate\n");
  expect(await server.mails()).toMatchObject([{ to: "anna@example.com", subject: "Test e-mail from Gatehouse" }]);
  expect(lines).toEqual({ encrypted: 1, open: 0 });
});

test("a mail server with an untrusted certificate gets neither mail nor password", async () => {
  const { server, lines, mailTest } = await startInstallation();
  const { exitCode, stderr } = await mailTest({});
  expect(exitCode).toBe(1);
  expect(stderr).toContain("certificate of the mail server is not trusted");
  expect(await server.mails()).toEqual([]);
  expect(lines).toEqual({ encrypted: 0, open: 0 });
});

import { generateKeyPairSync } from "node:crypto";
import { describe, expect, test } from "vitest";
import { readConfig } from "#app/config/read.server.ts";
import { drawApplePem, MINIMAL } from "./minimal-environment.ts";

/** Returns the configuration field for one value, or "refused" if `key` alone is reported as invalid. */
function outcome(key: string, value: string, others: Record<string, string> = {}) {
  const read = readConfig({ ...MINIMAL, ...others, [key]: value });
  if (read.ok) return read.config;
  expect(new Set(read.mistakes.map((mistake) => mistake.key))).toEqual(new Set([key]));
  return "refused";
}

const TOO_LONG = "x".repeat(2001);

const REFUSED: Record<string, string[]> = {
  ISSUER: [
    "login.example.com",
    "https://login.example.com/",
    "https://login.example.com/path",
    "https://login.example.com?x=1",
    "https://login.example.com#x",
    "https://login.example.com:443",
    "https://Login.example.com",
    "https://anna@login.example.com",
    "http://login.example.com",
    "http://127.0.0.1.example.com",
    "http://localhost.example.com",
    "http://10.0.0.1:3000",
    "ftp://login.example.com",
    "https:login.example.com",
    " https://login.example.com",
    "https://login.example.com https://other.example.com",
    "javascript:alert(1)",
    "https://",
    "null",
  ],
  HOST: ["*", "127.0.0.1:3000", "[::1]", "http://localhost", "256.0.0.1", "a b", "a_b", ".", "127.1"],
  PORT: ["0", "65536", "-1", "3000.5", "3e3", "0x10", "http", "３０００", "3000 ", "1234567890"],
  DATABASE_URL: [
    "./data/gatehouse.sqlite",
    "sqlite:",
    "sqlite:./data/",
    "sqlite::memory:",
    "sqlite://data/gatehouse.sqlite",
    "mysql://localhost/gatehouse",
    "postgres:gatehouse",
    "postgres://localhost",
    "postgres://localhost/",
    "postgres://localhost/one/two",
    "postgres://anna@/gatehouse",
    "postgres://anna:pass@/word@localhost/gatehouse?host=/tmp",
    "postgres://anna:pass#word@localhost/gatehouse",
    "postgres://anna:pass/word@localhost/gatehouse",
    "postgres://anna:12#34@localhost/gatehouse",
    "postgres://anna:12/34@localhost/gatehouse",
    "postgres://anna:12?34@localhost/gatehouse",
    "postgres://anna:caf%E9@localhost/gatehouse",
    "SQLITE:./x",
    "sqlite:./a\u0000b",
    "sqlite:/var/lib/gatehouse/gatehouse.sqlite ",
    "sqlite: /var/lib/gatehouse/gatehouse.sqlite",
  ],
  SECRET_KEYS: [
    "x".repeat(31),
    `${MINIMAL.SECRET_KEYS},short`,
    `${MINIMAL.SECRET_KEYS},`,
    `,${MINIMAL.SECRET_KEYS}`,
    ",",
    `${MINIMAL.SECRET_KEYS},${MINIMAL.SECRET_KEYS}`,
    `${MINIMAL.SECRET_KEYS}\n${"b".repeat(32)}`,
    " ".repeat(40),
    "🔑".repeat(31),
  ],
  PRODUCT_NAME: ["x".repeat(61), "two\nlines", " ", "tab\there", "\u001b[31mred"],
  APP_URL: [
    "suite.example.com",
    "/app",
    "javascript:alert(1)",
    "data:text/html,x",
    "https://anna:pw@example.com",
    "https://a b.com",
  ],
  IMPRINT_URL: ["imprint", "mailto:a@example.com"],
  PRIVACY_URL: ["privacy", "//example.com/privacy"],
  TERMS_URL: ["terms"],
  SFDR_URL: ["sfdr", "http:/example.com"],
  SUPPORT_CONTACT: ["x".repeat(201), "line\r\nbreak"],
  SMTP_URL: [
    "mail.example.com",
    "https://mail.example.com",
    "smtp://anna:pa/ss@mail.example.com",
    "smtp://anna:1#2@mail.example.com",
    "smtp://mail.example.com/inbox",
    "smtp://",
    "smtps:///",
    TOO_LONG,
  ],
  MAIL_FROM: [
    "Gatehouse",
    "Gatehouse <>",
    "a@b@c",
    "A <a@example.com> <b@example.com>",
    "a@example.com\nBcc: x@example.com",
    "jörg@example.com",
    "login@exa mple.com",
  ],
  ADMIN_MAIL: ["admin", "Admin <admin@example.com>", "a@example.com, b@example.com", "a@example.com\n"],
  TRUST_PROXY: [
    "true",
    "1",
    "loopback",
    "proxy.example.com",
    "10.0.0.0/33",
    "::1/129",
    "10.0.0.0/",
    "10.0.0.0/08",
    "10.0.0.0/255.0.0.0",
    "0.0.0.0/0",
    "::/0",
    "10.0.0.1,",
    "10.0.0.1;10.0.0.2",
    "10.0.0.1 10.0.0.2",
  ],
  START_PAGE: ["Settings", "none"],
  MFA_POLICY: ["Required", "yes", "none"],
  PROFILE_CHANGES: ["Email", "all", "email,,name", "email name", "picture"],
  PASSKEYS: ["On", "yes", "true"],
  MFA_REMEMBER_DAYS: ["91", "-1", "30 days", "1.5"],
  USERNAME_REMEMBER_DAYS: ["401", "-1", "90 days", "1.5"],
  FACTOR_RESET_DELAY_HOURS: ["0", "721", "1.5", "-24"],
  BACKUP_DIR: ["a\nb", " ", "/var/backups/gatehouse ", " /var/backups"],
  BACKUP_KEEP: ["0", "3651", "all"],
  AUDIT_RETENTION_DAYS: ["29", "3651", "forever"],
  TIME_ZONE: ["Mars/Olympus", "+02:00", "CEST+2", "Europe/Berlin ", "local"],
  METRICS_PORT: ["0", "3000", "70000", "on"],
  LOG_LEVEL: ["INFO", "verbose", "30"],
};

describe.each(Object.entries(REFUSED))("%s", (key, values) => {
  test.each(values)("refuses %j", (value) => {
    expect(outcome(key, value)).toBe("refused");
  });
});

describe("a value", () => {
  test.each([
    ["ISSUER", "https://login.example.com", { issuer: "https://login.example.com" }],
    ["ISSUER", "https://login.example.com:8443", { issuer: "https://login.example.com:8443" }],
    ["ISSUER", "http://127.0.0.1:4000", { issuer: "http://127.0.0.1:4000" }],
    ["ISSUER", "http://[::1]:4000", { issuer: "http://[::1]:4000" }],
    ["ISSUER", "http://office.localhost:4000", { issuer: "http://office.localhost:4000" }],
    ["HOST", "::", { host: "::" }],
    ["HOST", "0.0.0.0", { host: "0.0.0.0" }],
    ["HOST", "login-1.internal", { host: "login-1.internal" }],
    ["PORT", "65535", { port: 65_535 }],
    [
      "DATABASE_URL",
      "sqlite:/var/lib/gh.sqlite",
      { database: { dialect: "sqlite", file: "/var/lib/gh.sqlite" }, dataDir: "/var/lib" },
    ],
    ["DATABASE_URL", "sqlite:///var/lib/gh.sqlite", { database: { dialect: "sqlite", file: "/var/lib/gh.sqlite" } }],
    [
      "DATABASE_URL",
      "sqlite:gh.sqlite",
      { database: { dialect: "sqlite", file: "gh.sqlite" }, dataDir: ".", backupDir: "backups" },
    ],
    [
      "DATABASE_URL",
      "postgres://db/gh",
      { database: { dialect: "postgres", url: "postgres://db/gh" }, dataDir: "data" },
    ],
    [
      "DATABASE_URL",
      "postgresql://a:p%23w@/gh?host=%2Fvar%2Frun%2Fpostgresql&port=5433",
      { database: { dialect: "postgres", url: "postgresql://a:p%23w@%2Fvar%2Frun%2Fpostgresql/gh?port=5433" } },
    ],
    [
      "DATABASE_URL",
      "postgresql://a:p%23w@db:5433/gh?sslmode=require",
      { database: { dialect: "postgres", url: "postgresql://a:p%23w@db:5433/gh?sslmode=require" } },
    ],
    [
      "DATABASE_URL",
      "postgresql://a:5%of@db/gh",
      { database: { dialect: "postgres", url: "postgresql://a:5%of@db/gh" } },
    ],
    [
      "SECRET_KEYS",
      `${"b".repeat(32)} , ${MINIMAL.SECRET_KEYS}`,
      { secretKeys: ["b".repeat(32), MINIMAL.SECRET_KEYS] },
    ],
    ["PRODUCT_NAME", "Müller & Söhne", { productName: "Müller & Söhne" }],
    ["APP_URL", "http://intranet:8080/start?x=1#y", { appUrl: "http://intranet:8080/start?x=1#y" }],
    ["START_PAGE", "settings", { startPage: "settings" }],
    ["DEFAULT_LANGUAGE", "de", { defaultLanguage: "de" }],
    ["SMTP_URL", "smtps://a:p%40w@mail.example.com:465", { smtpUrl: "smtps://a:p%40w@mail.example.com:465" }],
    ["SMTP_URL", "smtp://a:p%E9w@mail.example.com", { smtpUrl: "smtp://a:p%E9w@mail.example.com" }],
    ["MAIL_FROM", "Example Brokers <login@example.com>", { mailFrom: "Example Brokers <login@example.com>" }],
    ["MAIL_FROM", "login@localhost", { mailFrom: "login@localhost" }],
    ["MAIL_FROM", "Müller <login@müller.example>", { mailFrom: "Müller <login@müller.example>" }],
    ["ADMIN_MAIL", "jörg@müller.example", { adminMail: "jörg@müller.example" }],
    ["TRUST_PROXY", "127.0.0.1, 10.0.0.0/8,fd00::/8", { trustProxy: ["127.0.0.1", "10.0.0.0/8", "fd00::/8"] }],
    ["MFA_POLICY", "required", { mfaPolicy: "required" }],
    ["PASSKEYS", "off", { passkeys: false }],
    ["MFA_REMEMBER_DAYS", "90", { mfaRememberDays: 90 }],
    ["USERNAME_REMEMBER_DAYS", "0", { usernameRememberDays: 0 }],
    ["FACTOR_RESET_DELAY_HOURS", "720", { factorResetDelayHours: 720 }],
    ["PROFILE_CHANGES", "email, phone,name,email", { profileChanges: ["email", "phone", "name"] }],
    ["BACKUP_DIR", "/var/backups", { backupDir: "/var/backups" }],
    ["TIME_ZONE", "Europe/Berlin", { timeZone: "Europe/Berlin" }],
    ["METRICS_PORT", "9464", { metricsPort: 9464 }],
    ["LOG_LEVEL", "silent", { logLevel: "silent" }],
  ])("%s=%s is accepted", (key, value, expected) => {
    expect(outcome(key, value)).toMatchObject(expected);
  });
});

describe("a Microsoft issuer", () => {
  const others = { MICROSOFT_CLIENT_ID: "id", MICROSOFT_CLIENT_SECRET: "secret" };

  test.each(["common", "organizations", "consumers", "Common"])("of many tenants is refused: %s", (alias) => {
    expect(outcome("MICROSOFT_ISSUER", `https://login.microsoftonline.com/${alias}/v2.0`, others)).toBe("refused");
  });
});

describe("an Apple private key", () => {
  const others = { APPLE_CLIENT_ID: "id", APPLE_TEAM_ID: "team", APPLE_KEY_ID: "key" };
  const pem = drawApplePem();

  test("may have escaped line breaks", () => {
    expect(outcome("APPLE_PRIVATE_KEY", pem.replaceAll("\n", "\\n"), others)).toMatchObject({
      apple: { privateKey: pem },
    });
  });

  test("in the SEC1 format is converted to PKCS #8", () => {
    const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    const older = privateKey.export({ type: "sec1", format: "pem" }).toString();
    const newer = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
    expect(outcome("APPLE_PRIVATE_KEY", older, others)).toMatchObject({ apple: { privateKey: newer } });
  });

  test.each([
    [
      "of the kind RSA",
      generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey.export({ type: "pkcs8", format: "pem" }),
    ],
    [
      "on another curve",
      generateKeyPairSync("ec", { namedCurve: "P-384" }).privateKey.export({ type: "pkcs8", format: "pem" }),
    ],
    [
      "that is the public half",
      generateKeyPairSync("ec", { namedCurve: "P-256" }).publicKey.export({ type: "spki", format: "pem" }),
    ],
    ["without its frame", pem.replaceAll(/-----[A-Z ]+-----/g, "")],
    ["cut short", pem.slice(0, 80)],
    [
      "with a passphrase",
      generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey.export({
        type: "pkcs8",
        format: "pem",
        cipher: "aes-256-cbc",
        passphrase: "x",
      }),
    ],
  ])("%s is refused, and not quoted", (_kind, value) => {
    const read = readConfig({ ...MINIMAL, ...others, APPLE_PRIVATE_KEY: String(value) });
    expect(read.ok).toBe(false);
    const body = String(value).split("\n")[1] ?? "";
    expect(body).not.toBe("");
    expect(JSON.stringify(read)).not.toContain(body);
  });
});

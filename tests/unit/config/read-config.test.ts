import { describe, expect, onTestFinished, test, vi } from "vitest";
import type { Config, ConfigMistake } from "#app/config/config.ts";
import { KEYS } from "#app/config/environment.server.ts";
import { readConfig } from "#app/config/read.server.ts";
import { drawApplePem, MINIMAL } from "./minimal-environment.ts";

type Env = Record<string, string | undefined>;

function configOf(env: Env): Config {
  const read = readConfig({ ...MINIMAL, ...env });
  if (!read.ok) throw new Error(`refused: ${JSON.stringify(read.mistakes)}`);
  return read.config;
}

function mistakesOf(env: Env): ConfigMistake[] {
  const read = readConfig(env);
  return read.ok ? [] : read.mistakes;
}

function wrongKeys(env: Env): string[] {
  return mistakesOf({ ...MINIMAL, ...env }).map(({ key }) => key);
}

describe("a minimal environment", () => {
  test("makes a complete configuration of defaults", () => {
    expect(configOf({})).toEqual({
      issuer: "http://localhost:3000",
      host: "127.0.0.1",
      port: 3000,
      database: { dialect: "sqlite", file: "./data/gatehouse.sqlite" },
      dataDir: "./data",
      secretKeys: [MINIMAL.SECRET_KEYS],
      productName: "Gatehouse",
      appUrl: MINIMAL.APP_URL,
      startPage: "applications",
      adminPages: true,
      imprintUrl: MINIMAL.IMPRINT_URL,
      privacyUrl: null,
      termsUrl: null,
      sfdrUrl: null,
      logo: null,
      accent: null,
      supportContact: null,
      smtpUrl: null,
      mailOauth: null,
      defaultLanguage: "en",
      mailFrom: "no-reply@localhost",
      adminMail: null,
      trustProxy: [],
      mfaPolicy: "optional",
      passkeys: true,
      mfaRememberDays: 0,
      usernameRememberDays: 90,
      factorResetDelayHours: 24,
      profileChanges: [],
      google: null,
      microsoft: null,
      apple: null,
      backupDir: "data/backups",
      backupKeep: 14,
      auditRetentionDays: 365,
      timeZone: new Intl.DateTimeFormat().resolvedOptions().timeZone,
      metricsPort: null,
      logLevel: "info",
    });
  });

  test.each(["Asia/Tokyo", "Europe/Berlin"])("takes the time zone of the server: %s", (zone) => {
    vi.stubEnv("TZ", zone);
    onTestFinished(() => void vi.unstubAllEnvs());
    expect(configOf({})).toMatchObject({ timeZone: zone });
  });

  test.each(["", "MEZ", "Etc/Unknown"])(
    "takes UTC if Node does not know the time zone of the server: TZ=%s",
    (zone) => {
      vi.stubEnv("TZ", zone);
      onTestFinished(() => void vi.unstubAllEnvs());
      expect(configOf({})).toMatchObject({ timeZone: "UTC" });
    },
  );

  test("treats an empty variable as not set", () => {
    const blank = Object.fromEntries([...KEYS.keys()].map((name) => [name, ""]));
    expect(configOf({ ...blank, ...MINIMAL })).toEqual(configOf({}));
    expect(wrongKeys({ SECRET_KEYS: "", APP_URL: "" })).toEqual(["SECRET_KEYS", "APP_URL"]);
  });

  test("requires the keys without a default", () => {
    const mistakes = mistakesOf({});
    expect(mistakes.map(({ key }) => key)).toEqual(["SECRET_KEYS", "APP_URL", "IMPRINT_URL"]);
    expect(mistakes.every(({ wrong, expected }) => wrong === "is not set" && expected !== "")).toBe(true);
  });
});

describe("mistakes", () => {
  test("are reported all at once, in the order of the manual, each with the expected value", () => {
    const mistakes = mistakesOf({
      LOG_LEVEL: "loud",
      TIME_ZONE: "Mars/Olympus",
      PORT: "0",
      ISSUER: "http://login.example.com",
      SECRET_KEYS: "short",
      APP_URL: "suite",
      TRUST_PROXY: "true",
      MFA_POLICY: "sometimes",
      GOOGLE_CLIENT_ID: "only-half",
      DATABASE_URL: "mysql://db.example.com/gatehouse",
    });
    expect(mistakes.map(({ key }) => key)).toEqual([
      "ISSUER",
      "PORT",
      "DATABASE_URL",
      "SECRET_KEYS",
      "APP_URL",
      "IMPRINT_URL",
      "TRUST_PROXY",
      "MFA_POLICY",
      "GOOGLE_CLIENT_SECRET",
      "TIME_ZONE",
      "LOG_LEVEL",
    ]);
    for (const { key, expected } of mistakes) {
      expect(expected).toBe(KEYS.get(key)?.expected);
    }
  });

  test("of single values do not hide mistakes in combinations of keys", () => {
    expect(wrongKeys({ PORT: "x", METRICS_PORT: "9464", APPLE_CLIENT_ID: "com.example" })).toEqual([
      "PORT",
      "APPLE_TEAM_ID",
      "APPLE_KEY_ID",
      "APPLE_PRIVATE_KEY",
    ]);
  });

  test("do not contain a password of a quoted URL", () => {
    const [mistake] = mistakesOf({ ...MINIMAL, APP_URL: "ftp://anna:hunter2@example.com/" });
    expect(mistake?.wrong).toContain("***@example.com");
    expect(JSON.stringify(mistake)).not.toContain("hunter2");
  });
});

describe("a provider", () => {
  const google = { GOOGLE_CLIENT_ID: "id", GOOGLE_CLIENT_SECRET: "secret" };
  const microsoft = {
    MICROSOFT_CLIENT_ID: "id",
    MICROSOFT_CLIENT_SECRET: "secret",
    MICROSOFT_ISSUER: "https://login.microsoftonline.com/72f988bf-86f1-41af-91ab-2d7cd011db47/v2.0",
  };
  const apple = {
    APPLE_CLIENT_ID: "id",
    APPLE_TEAM_ID: "team",
    APPLE_KEY_ID: "key",
    APPLE_PRIVATE_KEY: drawApplePem(),
  };

  test("is configured when all of its keys are set", () => {
    const config = configOf({ ...google, ...microsoft, ...apple });
    expect(config.google).toEqual({ issuer: "https://accounts.google.com", clientId: "id", clientSecret: "secret" });
    expect(config.microsoft).toEqual({ issuer: microsoft.MICROSOFT_ISSUER, clientId: "id", clientSecret: "secret" });
    expect(config.apple).toEqual({
      issuer: "https://appleid.apple.com",
      clientId: "id",
      teamId: "team",
      keyId: "key",
      privateKey: apple.APPLE_PRIVATE_KEY,
    });
  });

  test.each(Object.keys({ ...google, ...microsoft, ...apple }))("without its %s is a mistake", (missing) => {
    const [prefix] = missing.split("_");
    const others = Object.entries({ ...google, ...microsoft, ...apple }).filter(([name]) =>
      name.startsWith(`${prefix}_`),
    );
    expect(wrongKeys({ ...Object.fromEntries(others), [missing]: undefined })).toEqual([missing]);
  });

  test("with only an issuer is a mistake", () => {
    expect(wrongKeys({ GOOGLE_ISSUER: "https://accounts.google.com" })).toEqual([
      "GOOGLE_CLIENT_ID",
      "GOOGLE_CLIENT_SECRET",
    ]);
  });

  test("may be a fake provider on this machine over http, and on no other host", () => {
    expect(configOf({ ...google, GOOGLE_ISSUER: "http://127.0.0.1:9000" }).google?.issuer).toBe(
      "http://127.0.0.1:9000",
    );
    expect(wrongKeys({ ...google, GOOGLE_ISSUER: "http://10.0.0.1:9000" })).toEqual(["GOOGLE_ISSUER"]);
  });
});

describe("warnings", () => {
  function warnedOf(env: Env): string[] {
    return readConfig({ ...MINIMAL, ...env }).warnings.map(({ key }) => key);
  }

  test("report that mails are not sent without SMTP_URL", () => {
    expect(warnedOf({})).toEqual(["SMTP_URL"]);
    expect(warnedOf({ SMTP_URL: "smtp://localhost" })).toEqual([]);
  });

  test("report a PORT that differs from the default ISSUER", () => {
    expect(warnedOf({ PORT: "4000" })).toEqual(["ISSUER", "SMTP_URL"]);
    expect(warnedOf({ PORT: "4000", ISSUER: "http://localhost:4000" })).toEqual(["SMTP_URL"]);
  });

  test("report an https ISSUER without a trusted proxy", () => {
    expect(warnedOf({ ISSUER: "https://login.example.com" })).toEqual(["TRUST_PROXY", "SMTP_URL"]);
    expect(warnedOf({ ISSUER: "https://login.example.com", TRUST_PROXY: "10.0.0.1" })).toEqual(["SMTP_URL"]);
  });

  test("report a secret key that is not random", () => {
    expect(warnedOf({ SECRET_KEYS: `${MINIMAL.SECRET_KEYS},${"ab".repeat(20)}` })).toEqual(["SMTP_URL", "SECRET_KEYS"]);
  });
});

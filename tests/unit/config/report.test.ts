import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { KEYS } from "#app/config/environment.server.ts";
import { checkConfigReport, showConfigReport } from "#app/config/report.server.ts";
import { drawApplePem, MINIMAL } from "./minimal-environment.ts";

function rowOf(env: Record<string, string>, key: string) {
  return showConfigReport({ ...MINIMAL, ...env }).rows.find((row) => row.key === key);
}

function writeSecret(content: string): string {
  const folder = mkdtempSync(join(tmpdir(), "gatehouse-report-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "secret");
  writeFileSync(file, content);
  return file;
}

describe("config show", () => {
  test("has a row for every key", () => {
    expect(showConfigReport(MINIMAL).rows.map(({ key }) => key)).toEqual([...KEYS.keys()]);
  });

  test("shows the origin of each value", () => {
    expect(rowOf({ PORT: "4000" }, "PORT")).toMatchObject({
      value: "4000",
      origin: "environment",
      note: "from environment",
    });
    expect(rowOf({}, "PORT")).toMatchObject({ value: "3000", origin: "default", note: "default" });
    expect(rowOf({}, "MAIL_FROM")).toMatchObject({ value: "no-reply@localhost", origin: "default" });
    expect(rowOf({}, "PRIVACY_URL")).toMatchObject({ value: null, origin: null, note: "not set: no link" });
  });

  test("shows the length and the origin of a secret, never the secret", () => {
    expect(rowOf({}, "SECRET_KEYS")).toEqual({
      key: "SECRET_KEYS",
      value: null,
      origin: "environment",
      note: "set (32 characters, from environment)",
    });
    const { rows } = showConfigReport({
      ...MINIMAL,
      SECRET_KEYS: "",
      SECRET_KEYS_FILE: writeSecret(`${"k".repeat(64)}\n`),
    });
    expect(rows.find(({ key }) => key === "SECRET_KEYS")?.note).toBe("set (64 characters, from file)");
  });

  test("removes password and query from a server's URL", () => {
    const database = rowOf({ DATABASE_URL: "postgres://anna:hunter2@db:5432/gh?password=hunter3" }, "DATABASE_URL");
    expect(database?.value).toBe("postgres://anna:***@db:5432/gh?...");
    expect(rowOf({ SMTP_URL: "smtps://anna:hunter2@mail" }, "SMTP_URL")?.value).toBe("smtps://anna:***@mail");
    expect(rowOf({ DATABASE_URL: "sqlite:///srv/gh.sqlite" }, "DATABASE_URL")?.value).toBe("sqlite:/srv/gh.sqlite");
  });

  test("shows an invalid configuration too, with its mistakes below", () => {
    const report = showConfigReport({ PORT: "many", ISSUER: "https://login.example.com" });
    expect(report.ok).toBe(false);
    const text = report.lines.join("\n");
    expect(text).toContain("ISSUER                      https://login.example.com (from environment)");
    expect(text).toContain('PORT is not an integer: "many"');
  });

  test("removes control characters from values", () => {
    const { lines } = showConfigReport({ ...MINIMAL, PRODUCT_NAME: "\u001b[2Jgone\r\n", SUPPORT_CONTACT: "a\u009bb" });
    expect(lines.join("")).not.toMatch(/\p{Cc}/u);
  });
});

describe("config check", () => {
  test("states that a configuration is complete, with its warnings", () => {
    const report = checkConfigReport(MINIMAL);
    expect(report).toMatchObject({ ok: true, mistakes: [] });
    expect(report.lines.slice(0, 2)).toEqual(["The configuration is complete.", "Warnings:"]);
  });

  test("prints every mistake with its key, the problem and the expected value", () => {
    const { ok, lines } = checkConfigReport({ ...MINIMAL, PORT: "0", LOG_LEVEL: "loud" });
    expect(ok).toBe(false);
    expect(lines).toEqual([
      "2 mistakes in the configuration:",
      "  PORT is 0, which is too small",
      "    expected: an integer from 1 to 65535",
      '  LOG_LEVEL is "loud"',
      "    expected: fatal, error, warn, info, debug, trace, silent",
    ]);
  });
});

describe("no report, of a valid or invalid configuration, contains a secret", () => {
  const pem = drawApplePem();
  const body = pem.split("\n")[1] ?? "";
  const right = {
    ...MINIMAL,
    SECRET_KEYS: `needle-0-${"x".repeat(32)}`,
    DATABASE_URL: "postgres://anna:needle-1@db/gh?sslpassword=needle-2",
    SMTP_URL: "smtp://anna:needle-3@mail",
    GOOGLE_CLIENT_ID: "id",
    GOOGLE_CLIENT_SECRET: "needle-4",
    APPLE_CLIENT_ID: "id",
    APPLE_TEAM_ID: "team",
    APPLE_KEY_ID: "key",
    APPLE_PRIVATE_KEY: pem,
  };
  const wrong: Record<string, string>[] = [
    { SECRET_KEYS: "needle-5" },
    { SECRET_KEYS: "needle-5,needle-5" },
    { DATABASE_URL: "mysql://anna:needle-5@db/gh" },
    { DATABASE_URL: "postgres://anna:needle-5#x@db/gh" },
    { DATABASE_URL: "postgres://anna:1/needle-5@db/gh" },
    { DATABASE_URL: "postgres://db/gh#needle-5" },
    { SMTP_URL: "smtp://anna:needle/5@mail" },
    { SMTP_URL: "smtp://anna:1?needle-5@mail" },
    { GOOGLE_CLIENT_SECRET: " needle-5" },
    { GOOGLE_CLIENT_SECRET: "needle-5\nneedle-6" },
    { APPLE_PRIVATE_KEY: pem.replace("PRIVATE", "PRIVAT") },
    { APP_URL: "https://anna:needle-5@example.com" },
    { TRUST_PROXY: "http://anna:needle-5@example.com" },
    { SECRET_KEY: "needle-5" },
    { PORT: "x" },
  ];

  test.each([{}, ...wrong])("%j", (change) => {
    const env: Record<string, string> = { ...right, ...change };
    const shown = JSON.stringify([checkConfigReport(env), showConfigReport(env)]);
    expect(shown).not.toContain("needle");
    expect(shown).not.toContain(body);
  });
});

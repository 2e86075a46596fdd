import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { KEYS } from "#app/config/environment.server.ts";
import { readConfig } from "#app/config/read.server.ts";
import { drawClientCertificate, drawServiceAccount } from "#tests/support/mail-credentials.ts";
import { drawApplePem, MINIMAL } from "./minimal-environment.ts";

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "gatehouse-config-"));
});

afterEach(() => {
  rmSync(folder, { recursive: true });
});

function write(content: string): string {
  const file = join(folder, "secret");
  writeFileSync(file, content);
  return file;
}

function wrongOf(env: Record<string, string>) {
  const read = readConfig({ ...MINIMAL, ...env });
  return read.ok ? [] : read.mistakes;
}

describe("a secret from a file", () => {
  const smtp = { SMTP_URL: "smtp://mail.example.com:587", MAIL_FROM: "login@example.com" };
  const mailClient = { MAIL_OAUTH_TENANT: "example.com", MAIL_OAUTH_CLIENT_ID: "id" };
  const cases: Record<string, { content: string; others: Record<string, string> }> = {
    DATABASE_URL: { content: "postgres://anna:password@db/gh", others: {} },
    SECRET_KEYS: { content: "zyxwvutsrqponmlkjihgfedcba987654", others: {} },
    SMTP_URL: { content: "smtp://anna:password@mail", others: {} },
    MAIL_OAUTH_CLIENT_SECRET: { content: "secret", others: { ...smtp, ...mailClient } },
    MAIL_OAUTH_CERTIFICATE: { content: drawClientCertificate(), others: { ...smtp, ...mailClient } },
    MAIL_OAUTH_SERVICE_ACCOUNT: { content: drawServiceAccount(), others: smtp },
    GOOGLE_CLIENT_SECRET: { content: "google's", others: { GOOGLE_CLIENT_ID: "id" } },
    MICROSOFT_CLIENT_SECRET: {
      content: "microsoft's",
      others: { MICROSOFT_CLIENT_ID: "id", MICROSOFT_ISSUER: "https://login.microsoftonline.com/72f988bf/v2.0" },
    },
    APPLE_PRIVATE_KEY: {
      content: drawApplePem(),
      others: { APPLE_CLIENT_ID: "id", APPLE_TEAM_ID: "team", APPLE_KEY_ID: "key" },
    },
  };

  test.each(Object.entries(cases))("is the same as %s in the environment", (key, { content, others }) => {
    const fromEnvironment = readConfig({ ...MINIMAL, ...others, [key]: content });
    const fromFile = readConfig({
      ...MINIMAL,
      ...others,
      [key]: undefined,
      [`${key}_FILE`]: write(`${content}\r\n\n`),
    });
    expect(fromEnvironment.ok ? [] : fromEnvironment.mistakes).toEqual([]);
    expect(fromFile).toEqual(fromEnvironment);
  });

  test("is possible for every secret", () => {
    const secrets = [...KEYS].filter(([, description]) => description.secret).map(([name]) => name);
    expect(Object.keys(cases).sort()).toEqual(secrets.sort());
  });

  test("and in the environment as well is a mistake", () => {
    const [mistake, ...others] = wrongOf({ SECRET_KEYS_FILE: write("x".repeat(40)) });
    expect(mistake).toMatchObject({
      key: "SECRET_KEYS",
      wrong: "is set, and so is SECRET_KEYS_FILE; set only one of them",
    });
    expect(others).toEqual([]);
  });

  test("that does not exist is one mistake, which names the file", () => {
    const file = join(folder, "nowhere");
    const mistakes = wrongOf({ SECRET_KEYS: "", SECRET_KEYS_FILE: file });
    expect(mistakes.map(({ key }) => key)).toEqual(["SECRET_KEYS_FILE"]);
    expect(mistakes[0]?.wrong).toBe(`cannot be read from "${file}" (ENOENT)`);
  });

  test("that is a folder, below a file, empty, or only line breaks is a mistake", () => {
    expect(wrongOf({ SMTP_URL_FILE: folder })[0]?.wrong).toContain("EISDIR");
    expect(wrongOf({ SMTP_URL_FILE: join(write("smtp://mail"), "x") })[0]?.wrong).toContain("ENOTDIR");
    expect(wrongOf({ SMTP_URL_FILE: write("") })[0]?.wrong).toContain("empty");
    expect(wrongOf({ SMTP_URL_FILE: write("\n\n") })[0]?.wrong).toContain("empty");
  });

  test("that fails does not also report an incomplete provider", () => {
    const mistakes = wrongOf({ GOOGLE_CLIENT_ID: "id", GOOGLE_CLIENT_SECRET_FILE: join(folder, "nowhere") });
    expect(mistakes.map(({ key }) => key)).toEqual(["GOOGLE_CLIENT_SECRET_FILE"]);
  });

  test("with several lines is a mistake", () => {
    const file = write(`${"a".repeat(32)}\n${"b".repeat(32)}\n`);
    expect(wrongOf({ SECRET_KEYS: "", SECRET_KEYS_FILE: file }).map(({ key }) => key)).toEqual(["SECRET_KEYS"]);
  });
});

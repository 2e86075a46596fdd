import { generateKeyPairSync } from "node:crypto";
import { describe, expect, test } from "vitest";
import { readConfig } from "#app/config/read.server.ts";
import {
  CERTIFICATE_ENDS_AT,
  CERTIFICATE_THUMBPRINT,
  drawClientCertificate,
  drawServiceAccount,
} from "#tests/support/mail-credentials.ts";
import { MINIMAL } from "./minimal-environment.ts";

type Env = Record<string, string | undefined>;

const TENANT = "72f988bf-86f1-41af-91ab-2d7cd011db47";

const SERVER = { SMTP_URL: "smtp://smtp.office365.com:587", MAIL_FROM: "Example <login@example.com>" };
const MICROSOFT = {
  ...SERVER,
  MAIL_OAUTH_TENANT: TENANT,
  MAIL_OAUTH_CLIENT_ID: "client",
  MAIL_OAUTH_CLIENT_SECRET: "the secret value",
};

function mistakesOf(env: Env) {
  const read = readConfig({ ...MINIMAL, ...env });
  return read.ok ? [] : read.mistakes;
}

const wrongKeys = (env: Env) => mistakesOf(env).map(({ key }) => key);

function oauthOf(env: Env) {
  const read = readConfig({ ...MINIMAL, ...env });
  if (!read.ok) throw new Error(JSON.stringify(read.mistakes));
  return read.config.mailOauth;
}

describe("the token of a mail server", () => {
  test("of Microsoft 365 needs tenant, client id and secret; the mailbox is the address of MAIL_FROM", () => {
    expect(oauthOf(MICROSOFT)).toEqual({
      tokenUrl: `https://login.microsoftonline.com/${TENANT}/oauth2/v2.0/token`,
      scope: "https://outlook.office365.com/.default",
      clientId: "client",
      mailbox: "login@example.com",
      credential: { kind: "secret", secret: "the secret value", endsAt: null },
    });
  });

  test("belongs to the mailbox in SMTP_URL, if it names one", () => {
    const SMTP_URL = "smtp://sender%40example.com@smtp.office365.com:587";
    expect(oauthOf({ ...MICROSOFT, SMTP_URL })).toMatchObject({ mailbox: "sender@example.com" });
    expect(oauthOf({ ...MICROSOFT, SMTP_URL, MAIL_FROM: undefined })).toMatchObject({ mailbox: "sender@example.com" });
  });

  test("ends with the day of MAIL_OAUTH_SECRET_EXPIRES", () => {
    const endsAt = new Date("2027-05-31T23:59:59.999Z");
    expect(oauthOf({ ...MICROSOFT, MAIL_OAUTH_SECRET_EXPIRES: "2027-05-31" })).toMatchObject({
      credential: { endsAt },
    });
  });

  test("is requested with a certificate instead of a secret, which contains its own end", () => {
    const certificate = { MAIL_OAUTH_CLIENT_SECRET: undefined, MAIL_OAUTH_CERTIFICATE: drawClientCertificate() };
    expect(oauthOf({ ...MICROSOFT, ...certificate })?.credential).toEqual({
      kind: "certificate",
      privateKey: expect.stringContaining("-----BEGIN PRIVATE KEY-----"),
      thumbprint: CERTIFICATE_THUMBPRINT,
      endsAt: CERTIFICATE_ENDS_AT,
    });
    expect(wrongKeys({ ...MICROSOFT, ...certificate, MAIL_OAUTH_SECRET_EXPIRES: "2027-05-31" })).toEqual([
      "MAIL_OAUTH_SECRET_EXPIRES",
    ]);
  });

  test("of Google Workspace needs the key of a service account only", () => {
    expect(oauthOf({ ...SERVER, MAIL_OAUTH_SERVICE_ACCOUNT: drawServiceAccount() })).toMatchObject({
      tokenUrl: "https://oauth2.googleapis.com/token",
      scope: "https://mail.google.com/",
      clientId: "gatehouse@project.iam.gserviceaccount.com",
      credential: { kind: "service account", keyId: "key-1" },
    });
  });

  test("of another provider needs its token endpoint and scope", () => {
    const other = { ...MICROSOFT, MAIL_OAUTH_TENANT: undefined, MAIL_OAUTH_TOKEN_URL: "https://id.example.com/token" };
    expect(oauthOf({ ...other, MAIL_OAUTH_SCOPE: "smtp" })).toMatchObject({
      tokenUrl: "https://id.example.com/token",
      scope: "smtp",
    });
    expect(wrongKeys(other)).toEqual(["MAIL_OAUTH_SCOPE"]);
  });
});

describe("a mistake", () => {
  test.each(["MAIL_OAUTH_TENANT", "MAIL_OAUTH_CLIENT_ID", "MAIL_OAUTH_CLIENT_SECRET", "SMTP_URL", "MAIL_FROM"])(
    "is a missing %s",
    (missing) => expect(wrongKeys({ ...MICROSOFT, [missing]: undefined })).toEqual([missing]),
  );

  test.each([
    ["two credentials", { MAIL_OAUTH_CERTIFICATE: drawClientCertificate() }, ["MAIL_OAUTH_CERTIFICATE"]],
    [
      "a tenant and a token endpoint",
      { MAIL_OAUTH_TOKEN_URL: "https://a.example", MAIL_OAUTH_SCOPE: "a" },
      ["MAIL_OAUTH_TOKEN_URL"],
    ],
    ["a password beside the token", { SMTP_URL: "smtp://a:b@mail.example.com" }, ["SMTP_URL"]],
    ["an unescaped % in the mailbox", { SMTP_URL: "smtp://a%b@mail.example.com" }, ["SMTP_URL"]],
    ["a mailbox that is not UTF-8", { SMTP_URL: "smtp://caf%E9@mail.example.com" }, ["SMTP_URL"]],
    ["an alias of many tenants", { MAIL_OAUTH_TENANT: "common" }, ["MAIL_OAUTH_TENANT"]],
    ["a tenant that is a path", { MAIL_OAUTH_TENANT: "example.com/../evil.example" }, ["MAIL_OAUTH_TENANT"]],
    ["a day that does not exist", { MAIL_OAUTH_SECRET_EXPIRES: "2027-02-30" }, ["MAIL_OAUTH_SECRET_EXPIRES"]],
  ])("is %s", (_what, env, keys) => {
    expect(wrongKeys({ ...MICROSOFT, ...env })).toEqual(keys);
  });

  test("is a client id beside a service account", () => {
    const env = { ...SERVER, MAIL_OAUTH_SERVICE_ACCOUNT: drawServiceAccount(), MAIL_OAUTH_CLIENT_ID: "client" };
    expect(wrongKeys(env)).toEqual(["MAIL_OAUTH_CLIENT_ID"]);
  });

  test("is a token endpoint over http, unless it is on this machine", () => {
    const env = { ...MICROSOFT, MAIL_OAUTH_TENANT: undefined, MAIL_OAUTH_SCOPE: "smtp" };
    expect(wrongKeys({ ...env, MAIL_OAUTH_TOKEN_URL: "http://id.example.com/token" })).toEqual([
      "MAIL_OAUTH_TOKEN_URL",
    ]);
    expect(wrongKeys({ ...env, MAIL_OAUTH_TOKEN_URL: "http://localhost:1/token" })).toEqual([]);
    expect(wrongKeys({ ...SERVER, MAIL_OAUTH_SERVICE_ACCOUNT: drawServiceAccount("http://id.example.com/") })).toEqual([
      "MAIL_OAUTH_SERVICE_ACCOUNT",
    ]);
  });

  test.each([
    ["a certificate without its key", drawClientCertificate(""), "no unencrypted private key"],
    ["a key without its certificate", drawPem("rsa"), "no X.509 certificate"],
    ["a key that is not RSA", drawPem("ec"), "of type ec"],
    ["a certificate of another key", drawClientCertificate(drawPem("rsa")), "a certificate of another key"],
  ])("is %s, and its message contains no key", (_what, MAIL_OAUTH_CERTIFICATE, said) => {
    const [mistake] = mistakesOf({ ...MICROSOFT, MAIL_OAUTH_CLIENT_SECRET: undefined, MAIL_OAUTH_CERTIFICATE });
    expect(mistake?.wrong).toContain(said);
    expect(JSON.stringify(mistake)).not.toContain("MII");
  });

  test.each([
    ["no JSON", "{", "is not a JSON object"],
    ["the key of a web client", '{"web":{"client_secret":"hush"}}', 'has no valid "type"'],
  ])("is %s as a service account, and its message contains no secret", (_what, text, said) => {
    const [mistake] = mistakesOf({ ...SERVER, MAIL_OAUTH_SERVICE_ACCOUNT: text });
    expect(mistake?.wrong).toContain(said);
    expect(JSON.stringify(mistake)).not.toContain("hush");
  });
});

function drawPem(kind: "rsa" | "ec"): string {
  const { privateKey } =
    kind === "ec"
      ? generateKeyPairSync("ec", { namedCurve: "P-256" })
      : generateKeyPairSync("rsa", { modulusLength: 2048 });
  return privateKey.export({ type: "pkcs8", format: "pem" }).toString();
}

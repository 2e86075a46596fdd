import { decodeProtectedHeader, jwtVerify } from "jose";
import type { SMTPServerOptions } from "smtp-server";
import { describe, expect, it, onTestFinished } from "vitest";
import { readConfig } from "#app/config/read.server.ts";
import { HOUR_SECONDS, MINUTE_SECONDS } from "#app/durations.ts";
import type { MailMessage } from "#app/mail/message.server.ts";
import { problemOf } from "#app/mail/problem.server.ts";
import { createMailTransport } from "#app/mail/transport.server.ts";
import {
  CERTIFICATE_THUMBPRINT,
  CLIENT_PUBLIC_KEY,
  drawClientCertificate,
  drawServiceAccount,
} from "#tests/support/mail-credentials.ts";
import { startSmtp, startStrangeSmtp } from "#tests/support/smtp.ts";
import {
  EXCHANGE_CLAIMS,
  EXCHANGE_REFUSALS,
  type Respond,
  refuseLikeEntra,
  sendJson,
  startTokenEndpoint,
  startTokenSmtp,
} from "#tests/support/token-endpoint.ts";
import { MINIMAL } from "#tests/unit/config/minimal-environment.ts";
import { fixedClock } from "#tests/unit/domain/fixtures.ts";

const MAILBOX = "login@office.example";
const SECRET = "hush-client-secret";

const message: MailMessage = {
  id: "0f".repeat(16),
  to: { name: "Anna", address: "anna@office.example" },
  from: { name: "Gatehouse", address: MAILBOX },
  subject: "Subject",
  text: "Text",
  html: "<p>Text</p>",
};

type Setup = {
  claims?: object;
  refuse?: (token: string) => string | null;
  smtp?: SMTPServerOptions;
  env?: (tokenUrl: string) => Record<string, string>;
};

const clientOf = (MAIL_OAUTH_TOKEN_URL: string) => ({
  MAIL_OAUTH_TOKEN_URL,
  MAIL_OAUTH_SCOPE: "https://outlook.office365.com/.default",
  MAIL_OAUTH_CLIENT_ID: "client",
});
const withSecret = (tokenUrl: string) => ({ ...clientOf(tokenUrl), MAIL_OAUTH_CLIENT_SECRET: SECRET });
const withCertificate = (tokenUrl: string) => ({
  ...clientOf(tokenUrl),
  MAIL_OAUTH_CERTIFICATE: drawClientCertificate(),
});
const withServiceAccount = (tokenUrl: string) => ({ MAIL_OAUTH_SERVICE_ACCOUNT: drawServiceAccount(tokenUrl) });

/** Starts a token endpoint and a mail server, and creates a transport that uses both. */
async function installed({ claims, refuse, smtp, env = withSecret }: Setup = {}) {
  const endpoint = await startTokenEndpoint(claims);
  const server = await startTokenSmtp(refuse, smtp);
  const clock = fixedClock();
  const read = readConfig({ ...MINIMAL, SMTP_URL: server.url, MAIL_FROM: MAILBOX, ...env(endpoint.url) });
  if (!read.ok) throw new Error(JSON.stringify(read.mistakes));
  const transport = createMailTransport(read.config, { clock });
  onTestFinished(async () => {
    transport.close();
    await server.close();
    await endpoint.close();
  });
  const send = () => transport.send(message);
  const problem = () =>
    send().then(
      () => null,
      (error: unknown) => problemOf(error),
    );
  return { endpoint, server, clock, transport, send, problem };
}

describe("a token", () => {
  it("is issued for the client secret and authenticates the mailbox", async () => {
    const { endpoint, server, send } = await installed();
    await send();
    expect(Object.fromEntries(endpoint.requests[0] ?? [])).toEqual({
      grant_type: "client_credentials",
      scope: "https://outlook.office365.com/.default",
      client_id: "client",
      client_secret: SECRET,
    });
    expect(server.logins).toEqual([{ user: MAILBOX, token: endpoint.issued[0] }]);
    expect(await server.mails()).toMatchObject([{ to: "anna@office.example", from: MAILBOX }]);
  });

  it("is issued for an assertion that the certificate's key signed (private_key_jwt)", async () => {
    const { endpoint, server, send } = await installed({ env: withCertificate });
    await send();
    const form = Object.fromEntries(endpoint.requests[0] ?? []);
    const { client_assertion: assertion = "", ...others } = form;
    expect(others).toEqual({
      grant_type: "client_credentials",
      scope: "https://outlook.office365.com/.default",
      client_id: "client",
      client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
    });
    const required = { issuer: "client", subject: "client", audience: endpoint.url };
    const { protectedHeader, payload } = await jwtVerify(assertion, CLIENT_PUBLIC_KEY, required);
    expect(protectedHeader).toMatchObject({ alg: "PS256", typ: "JWT", "x5t#S256": CERTIFICATE_THUMBPRINT });
    expect(payload.jti).toEqual(expect.any(String));
    expect(await server.mails()).toHaveLength(1);
  });

  it("is issued for a grant that the service account's key signed for the mailbox (RFC 7523)", async () => {
    const { endpoint, server, clock, send } = await installed({ env: withServiceAccount, claims: {} });
    await send();
    const { assertion = "", ...others } = Object.fromEntries(endpoint.requests[0] ?? []);
    expect(others).toEqual({ grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer" });
    const required = { subject: MAILBOX, audience: endpoint.url, currentDate: clock.now() };
    const { payload } = await jwtVerify(assertion, CLIENT_PUBLIC_KEY, required);
    expect(payload).toMatchObject({
      iss: "gatehouse@project.iam.gserviceaccount.com",
      scope: "https://mail.google.com/",
    });
    expect(decodeProtectedHeader(assertion)).toMatchObject({ alg: "RS256", kid: "key-1" });
    expect(server.logins).toMatchObject([{ user: MAILBOX }]);
  });

  it("is used until it ends", async () => {
    const { endpoint, clock, send } = await installed();
    await Promise.all([send(), send(), send()]);
    clock.advance(HOUR_SECONDS - 2 * MINUTE_SECONDS);
    await send();
    expect(endpoint.requests).toHaveLength(1);
    clock.advance(2 * MINUTE_SECONDS);
    await send();
    expect(endpoint.requests).toHaveLength(2);
  });

  it("is replaced once if it was used before and the mail server rejects it", async () => {
    const rejected = new Set<string>();
    const refuse = (token: string) => (rejected.has(token) ? EXCHANGE_REFUSALS.unsuccessful : null);
    const { endpoint, server, send } = await installed({ refuse });
    await send();
    rejected.add(endpoint.issued[0] ?? "");
    await send();
    expect(server.logins.map(({ token }) => token)).toEqual([
      ...[endpoint.issued[0], endpoint.issued[0], endpoint.issued[1]],
    ]);
    expect(await server.mails()).toHaveLength(2);
  });

  it("is not replaced if it was fresh, or if a fresh one is rejected, too", async () => {
    let rejectsAll = true;
    const { endpoint, server, send, problem } = await installed({
      refuse: () => (rejectsAll ? EXCHANGE_REFUSALS.unsuccessful : null),
    });
    expect(await problem()).toMatchObject({ stage: "mailbox" });
    expect([endpoint.issued.length, server.logins.length]).toEqual([1, 1]);
    rejectsAll = false;
    await send();
    rejectsAll = true;
    expect(await problem()).toMatchObject({ stage: "mailbox" });
    expect([endpoint.issued.length, server.logins.length]).toEqual([3, 4]);
  });

  it("is not replaced if the mail server refuses for another reason", async () => {
    let refuses = false;
    const { endpoint, send, problem } = await installed({
      smtp: {
        onRcptTo: (_address, _session, done) =>
          refuses ? done(Object.assign(new Error("no"), { responseCode: 550 })) : done(),
      },
    });
    await send();
    refuses = true;
    expect(await problem()).toMatchObject({ stage: "recipient" });
    expect(endpoint.requests).toHaveLength(1);
  });

  it("that a server rejects with a challenge, like Google's, is replaced, too", async () => {
    const rejected = new Set<string>();
    const { endpoint, server, send } = await installed({
      smtp: {
        onAuth: ({ username, accessToken = "" }, _session, done) =>
          rejected.has(accessToken)
            ? done(null, { data: { status: "400", schemes: "Bearer", scope: "https://mail.google.com/" } })
            : done(null, { user: username }),
      },
    });
    await send();
    rejected.add(endpoint.issued[0] ?? "");
    await send();
    expect(endpoint.issued).toHaveLength(2);
    expect(await server.mails()).toHaveLength(2);
  });

  it("is requested before the address is checked for SMTPUTF8, and once for both", async () => {
    const { endpoint, server, transport } = await installed();
    await transport.send({ ...message, to: { name: "", address: "jörg@office.example" } });
    expect(endpoint.requests).toHaveLength(1);
    expect(await server.mails()).toHaveLength(1);
  });
});

describe("a refusal of the token endpoint", () => {
  // Proves requirement 174.
  it.each<[string, Respond, string, string]>([
    ["an unknown tenant", refuseLikeEntra(400, "invalid_request", 90002), "tenant", "AADSTS90002"],
    ["an unknown application", refuseLikeEntra(400, "unauthorized_client", 700016), "client", "AADSTS700016"],
    ["a wrong secret", refuseLikeEntra(401, "invalid_client", 7000215), "secret", "AADSTS7000215"],
    ["an expired secret", refuseLikeEntra(401, "invalid_client", 7000222), "expired secret", "AADSTS7000222"],
    ["a wrong scope", refuseLikeEntra(400, "invalid_scope", 70011), "scope", "AADSTS70011"],
    ["a code that is not listed", refuseLikeEntra(401, "invalid_client", 7009999), "secret", "AADSTS7009999"],
    ["another error", refuseLikeEntra(400, "invalid_request", 7009999), "token", "AADSTS7009999"],
    [
      "only an OAuth error",
      (response) => sendJson(response, 400, { error: "invalid_scope" }),
      "scope",
      "invalid_scope",
    ],
    ["an error with a challenge", challenge, "secret", "invalid_client"],
    [
      "an error that is no error code",
      (response) => sendJson(response, 400, { error: `no ${SECRET}` }),
      "token",
      "400",
    ],
    ["a page", (response) => response.end("<h1>It works!</h1>"), "token endpoint", "200"],
    ["an error of the server", (response) => response.writeHead(503).end(), "token endpoint", "503"],
    ["a redirect", (response) => response.writeHead(302, { location: "/" }).end(), "token endpoint", "302"],
    ["a huge response", (response) => response.end(Buffer.alloc(2_000_000)), "token endpoint", ""],
    ["no response", (response) => response.destroy(), "token endpoint", "UND_ERR_SOCKET"],
  ])("is reported without anything that was sent: %s", async (_what, respond, stage, reason) => {
    const { endpoint, server, problem, send } = await installed();
    endpoint.respondWith(respond);
    const found = await problem();
    expect(found).toMatchObject({ stage, reason: expect.stringContaining(reason) });
    expect(JSON.stringify(found)).not.toMatch(/hush|trace|client'/);
    expect(server.logins).toEqual([]);
    endpoint.respondWith(null);
    await send();
    expect(await server.mails()).toHaveLength(1);
  });

  it("names the certificate if one was used", async () => {
    const { endpoint, problem } = await installed({ env: withCertificate });
    endpoint.respondWith(refuseLikeEntra(401, "invalid_client", 700027));
    expect(await problem()).toMatchObject({ stage: "certificate" });
    endpoint.respondWith((response) => sendJson(response, 401, { error: "invalid_client" }));
    expect(await problem()).toMatchObject({ stage: "certificate" });
  });

  it("names a service account without delegation, and one that is unknown", async () => {
    const { endpoint, problem } = await installed({ env: withServiceAccount });
    endpoint.respondWith((response) => sendJson(response, 401, { error: "unauthorized_client" }));
    expect(await problem()).toMatchObject({ stage: "delegation" });
    endpoint.respondWith((response) => sendJson(response, 400, { error: "invalid_grant" }));
    expect(await problem()).toMatchObject({ stage: "service account" });
  });

  it("is reported if the endpoint is not reachable", async () => {
    const { endpoint, problem } = await installed();
    await endpoint.close();
    expect(await problem()).toEqual({
      stage: "token endpoint",
      reason: "the token endpoint cannot be used (ECONNREFUSED)",
    });
  });
});

function challenge(response: Parameters<Respond>[0]): void {
  response.setHeader("www-authenticate", 'Basic realm="token"');
  sendJson(response, 401, { error: "invalid_client" });
}

describe("a refusal of the mail server", () => {
  it.each([
    [
      "of a token without the permission",
      EXCHANGE_REFUSALS.unsuccessful,
      { ...EXCHANGE_CLAIMS, roles: [] },
      "permission",
    ],
    ["of a mailbox that is not the application's", EXCHANGE_REFUSALS.unsuccessful, EXCHANGE_CLAIMS, "mailbox"],
    ["of a token of another provider", "5.7.8 Error", { aud: "smtp" }, "rejected token"],
    ["of a mailbox without SMTP AUTH", EXCHANGE_REFUSALS.mailboxOff, EXCHANGE_CLAIMS, "smtp auth"],
    ["of a tenant without SMTP AUTH", EXCHANGE_REFUSALS.tenantOff, { ...EXCHANGE_CLAIMS, roles: [] }, "smtp auth"],
  ])("is named: %s", async (_what, refusal, claims, stage) => {
    const { problem } = await installed({ claims, refuse: () => refusal });
    expect(await problem()).toMatchObject({ stage, reason: expect.stringContaining("(535)") });
  });

  it("for the moment says nothing about the token, and keeps it", async () => {
    let isBusy = false;
    const { endpoint, send, problem } = await installed({
      smtp: {
        onAuth: ({ username }, _session, done) =>
          isBusy
            ? done(Object.assign(new Error("4.7.0 try later"), { responseCode: 454 }))
            : done(null, { user: username }),
      },
    });
    await send();
    isBusy = true;
    expect(await problem()).toMatchObject({ stage: "connection", reason: expect.stringContaining("(454)") });
    expect(endpoint.requests).toHaveLength(1);
  });

  it("of a mailbox that must not send as MAIL_FROM is named, when the message was sent", async () => {
    const { problem } = await installed({
      smtp: {
        onData(stream, _session, done) {
          stream.resume();
          const denied = `5.2.252 SendAsDenied; ${MAILBOX} not allowed to send as other@office.example`;
          stream.on("end", () => done(Object.assign(new Error(denied), { responseCode: 554 })));
        },
      },
    });
    expect(await problem()).toEqual({ stage: "sender", reason: "the mailbox may not send as MAIL_FROM (554)" });
  });
});

describe("closing", () => {
  it("aborts a token request that is not answered", async () => {
    const requested = Promise.withResolvers<void>();
    const { endpoint, transport, problem } = await installed();
    endpoint.respondWith(() => requested.resolve());
    const sending = problem();
    await requested.promise;
    transport.close();
    expect(await sending).toEqual({ stage: "token endpoint", reason: "the token endpoint does not respond" });
  });

  it("aborts a delivery with a token", async () => {
    const connected = Promise.withResolvers<void>();
    const silent = await startStrangeSmtp(() => connected.resolve());
    onTestFinished(silent.close);
    const { transport, problem } = await installed({ env: (url) => ({ ...withSecret(url), SMTP_URL: silent.url }) });
    const sending = problem();
    await connected.promise;
    transport.close();
    expect(await sending).toMatchObject({ stage: "connection" });
  });
});

describe("a mail server that ended passwords", () => {
  it.each([
    [535, "5.7.139 Authentication unsuccessful, basic authentication is disabled."],
    [550, "5.7.30 Basic authentication is not supported for Client Submission."],
  ])("is named: %d %s", async (responseCode, refusal) => {
    const server = await startSmtp({
      authOptional: false,
      allowInsecureAuth: true,
      onAuth: (_login, _session, done) => done(Object.assign(new Error(refusal), { responseCode })),
    });
    onTestFinished(server.close);
    const SMTP_URL = `smtp://gate:password@127.0.0.1:${server.port}`;
    const { problem } = await installed({ env: () => ({ SMTP_URL }) });
    expect(await problem()).toMatchObject({ stage: "password" });
  });
});

import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { SMTPServerOptions } from "smtp-server";
import { describe, expect, it, onTestFinished } from "vitest";
import { systemClock } from "#app/context.server.ts";
import { MARK_CID } from "#app/mail/mark.ts";
import type { MailMessage } from "#app/mail/message.server.ts";
import { problemOf } from "#app/mail/problem.server.ts";
import { createMailTransport, smtpOptions } from "#app/mail/transport.server.ts";
import { readMail } from "#tests/support/mails.ts";
import { startSmtp, startStrangeSmtp } from "#tests/support/smtp.ts";

const message: MailMessage = {
  id: "0f".repeat(16),
  to: { name: "Anna Müller", address: "anna@office.example" },
  from: { name: "Gatehouse", address: "no-reply@office.example" },
  subject: "Passwort zurücksetzen",
  text: "Öffnen Sie diesen Link:\n\nhttps://login.office.example/password-reset/reset-form?reset_token=abc_-123",
  html: "<p>Öffnen Sie diesen Link</p>",
};

async function smtp(options: SMTPServerOptions = {}) {
  const server = await startSmtp(options);
  onTestFinished(server.close);
  return server;
}

const noBrand = { logo: null, accent: null };

function through(smtpUrl: string, brand: Partial<Parameters<typeof createMailTransport>[0]> = {}) {
  const transport = createMailTransport(
    { smtpUrl, mailOauth: null, dataDir: "", ...noBrand, ...brand },
    { clock: systemClock },
  );
  onTestFinished(transport.close);
  return transport;
}

/** Returns the reported problem of a mail that was not accepted. */
async function problemWith(url: string, sent = message) {
  const outcome = await through(url)
    .send(sent)
    .then(
      () => null,
      (error: unknown) => problemOf(error),
    );
  if (outcome === null) throw new Error("the mail was accepted");
  return outcome;
}

describe("over SMTP", () => {
  it("a mail arrives unchanged, with umlauts and link", async () => {
    const server = await smtp();
    await through(server.url).send(message);
    const [mail] = await server.mails();
    expect(mail).toMatchObject({
      to: "anna@office.example",
      from: "no-reply@office.example",
      subject: message.subject,
    });
    expect(mail?.text).toBe(message.text);
    expect(mail?.html).toBe(message.html);
    expect(mail?.email.to).toEqual([{ name: "Anna Müller", address: "anna@office.example" }]);
    expect(mail?.email.messageId).toBe(`<${message.id}@office.example>`);
  });

  it.each([
    ["max@müller-makler.example", "max@xn--mller-makler-dlb.example"],
    ["max@MÜLLER-Makler.example", "max@xn--mller-makler-dlb.example"],
    ["a&b@office.example", "a&b@office.example"],
  ])("%s receives mail at the ASCII form of its domain, whatever the server offers", async (address, recipient) => {
    const server = await smtp({ hideSMTPUTF8: true });
    const from = { name: "Müller & Söhne", address: "login@müller.example" };
    await through(server.url).send({ ...message, from, to: { name: "Max", address } });
    const [mail] = await server.mails();
    expect(mail).toMatchObject({ to: recipient, from: "login@xn--mller-kva.example" });
    expect(mail?.email.messageId).toBe(`<${message.id}@xn--mller-kva.example>`);
  });

  it("reaches an address with an umlaut before its @ if the server offers SMTPUTF8, and is not sent otherwise", async () => {
    const recipients: unknown[] = [];
    const onRcptTo: SMTPServerOptions["onRcptTo"] = ({ address }, session, done) => {
      recipients.push([address, Reflect.get(session.envelope, "smtpUtf8")]);
      done();
    };
    const to = { name: "Jörg", address: "jörg@office.example" };
    await through((await smtp({ onRcptTo })).url).send({ ...message, to });
    expect(recipients).toEqual([["jörg@office.example", true]]);
    const old = await smtp({ onRcptTo, hideSMTPUTF8: true });
    expect(await problemWith(old.url, { ...message, to })).toEqual({
      stage: "address",
      reason: 'the mail server does not support letters such as "ä" before the "@" (SMTPUTF8)',
    });
    expect(recipients).toHaveLength(1);
  });

  it("carries the mark that its HTML shows, after the whole text", async () => {
    const server = await smtp();
    const logo = { type: "image/png", content: Buffer.from("the logo"), hash: "" } as const;
    const html = `<img src="cid:${MARK_CID}" alt="">`;
    await through(server.url, { logo }).send({ ...message, html });
    await through(server.url, { logo: { ...logo, type: "image/svg+xml" } }).send({ ...message, html });
    await through(server.url, { logo }).send(message);
    const [mail, withSvg, withoutImage] = await server.mails();
    expect(mail?.text).toBe(message.text);
    expect(mail?.email.attachments).toMatchObject([
      { contentId: `<${MARK_CID}>`, mimeType: "image/png", disposition: "inline", related: true },
    ]);
    expect(mail?.email.attachments[0]?.content).toMatchObject({ byteLength: logo.content.length });
    expect(withSvg?.email.attachments).toEqual([]);
    expect(withoutImage?.email.attachments).toEqual([]);
  });

  it("is marked as auto-generated", async () => {
    const server = await smtp();
    await through(server.url).send(message);
    const [mail] = await server.mails();
    const headers = new Map(mail?.email.headers.map(({ key, value }) => [key, value]));
    expect(headers.get("auto-submitted")).toBe("auto-generated");
  });

  it("no name or subject adds a header or a recipient", async () => {
    const server = await smtp();
    const evil = "x\r\nBcc: thief@evil.example\r\n\r\nbody";
    await through(server.url).send({ ...message, subject: evil, to: { name: evil, address: "anna@office.example" } });
    const [mail] = await server.mails();
    expect(mail?.email.bcc).toBeUndefined();
    expect(mail?.email.headers.map(({ key }) => key)).not.toContain("bcc");
    expect(mail?.text).toBe(message.text);
    const listed = { name: "x", address: "anna@office.example>, <thief@evil.example" };
    const recipients: string[] = [];
    const watching = await smtp({
      onRcptTo(address, _session, done) {
        recipients.push(address.address);
        done();
      },
    });
    await through(watching.url)
      .send({ ...message, to: listed })
      .catch(() => {});
    expect(recipients).not.toContain("thief@evil.example");
  });

  it("authenticates with the account of the URL, and reports a rejected one", async () => {
    const auth: SMTPServerOptions = {
      authOptional: false,
      allowInsecureAuth: true,
      onAuth({ username, password }, _session, done) {
        if (username === "gate" && password === "p@ss/word") return done(null, { user: username });
        return done(new Error(`Invalid login of ${username}`));
      },
    };
    const server = await smtp(auth);
    await through(`smtp://gate:p%40ss%2Fword@127.0.0.1:${server.port}`).send(message);
    expect(await server.mails()).toHaveLength(1);
    const problem = await problemWith(`smtp://gate:wrong@127.0.0.1:${server.port}`);
    expect(problem).toEqual({ stage: "account", reason: "the mail server rejected user name or password (535)" });
  });

  it("rejects an untrusted certificate before sending anything", async () => {
    const server = await smtp({ secure: true });
    const problem = await problemWith(`smtps://127.0.0.1:${server.port}`);
    expect(problem).toEqual({ stage: "tls", reason: "the certificate of the mail server is not trusted" });
    expect(await server.mails()).toEqual([]);
  });
});

describe("the account's password", () => {
  // Proves requirement 174.
  it("sends credentials to another machine over TLS only, regardless of the offered extensions", () => {
    const requiresTls = (smtpUrl: string, login: Parameters<typeof smtpOptions>[1] = null) =>
      smtpOptions({ smtpUrl }, login).requireTLS;
    const login = { user: "gate@example.com", token: "token" };
    expect(requiresTls("smtp://gate:secret@mail.example.com:587")).toBe(true);
    expect(requiresTls("smtp://mail.example.com:587", login)).toBe(true);
    expect(requiresTls("smtp://mail.example.com:25")).toBe(false);
    for (const host of ["localhost", "127.0.0.1", "[::1]"]) {
      expect(requiresTls(`smtp://gate:secret@${host}:25`)).toBe(false);
    }
  });
});

describe("a failure is reported without addresses", () => {
  it("connection refused", async () => {
    const server = await startSmtp();
    await server.close();
    expect(await problemWith(server.url)).toEqual({
      stage: "connection",
      reason: "the mail server refused the connection",
    });
  });

  it("the recipient is refused", async () => {
    const server = await smtp({
      onRcptTo: ({ address }, _session, done) =>
        done(Object.assign(new Error(`${address} unknown`), { responseCode: 550 })),
    });
    expect(await problemWith(server.url)).toEqual({
      stage: "recipient",
      reason: "the mail server refused the recipient (550)",
    });
  });

  it("the sender is refused", async () => {
    const server = await smtp({
      onMailFrom: (_address, _session, done) => done(Object.assign(new Error("no"), { responseCode: 553 })),
    });
    expect((await problemWith(server.url)).stage).toBe("sender");
  });

  it("the message is refused", async () => {
    const server = await smtp({
      onData(stream, _session, done) {
        stream.resume();
        stream.on("end", () => done(Object.assign(new Error("spam"), { responseCode: 554 })));
      },
    });
    expect(await problemWith(server.url)).toEqual({
      stage: "message",
      reason: "the mail server refused the message (554)",
    });
  });

  it.each([
    ["disconnects at once", (end: () => void) => end()],
    [
      "speaks something else",
      (_end: () => void, send: (text: string) => void) => send("HTTP/1.1 400 Bad Request\r\n\r\n"),
    ],
    ["is closed", (_end: () => void, send: (text: string) => void) => send("421 closed for the night\r\n")],
  ])("the server %s", async (_what, act) => {
    const server = await startStrangeSmtp((socket) =>
      act(
        () => socket.destroy(),
        (text) => socket.write(text),
      ),
    );
    onTestFinished(server.close);
    expect((await problemWith(server.url)).stage).toBe("connection");
  });
});

describe("closing", () => {
  it.each(["anna", "jörg"])("aborts a delivery to %s when the server does not respond", async (name) => {
    const connected = Promise.withResolvers<void>();
    const server = await startStrangeSmtp(() => connected.resolve());
    onTestFinished(server.close);
    const transport = through(server.url);
    const to = { name: "", address: `${name}@office.example` };
    const sending = transport.send({ ...message, to }).then(
      () => null,
      (error: unknown) => problemOf(error),
    );
    await connected.promise;
    const startedAt = performance.now();
    transport.close();
    expect(await sending).toMatchObject({ stage: "connection" });
    expect(performance.now() - startedAt).toBeLessThan(1_000);
  });
});

describe("without SMTP_URL", () => {
  it("a mail is a valid .eml file that only the owner can read", async () => {
    const dataDir = mkdtempSync(join(tmpdir(), "gatehouse-outbox-"));
    onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
    const transport = createMailTransport(
      { smtpUrl: null, mailOauth: null, dataDir, ...noBrand },
      { clock: systemClock },
    );
    await transport.send(message);
    const outbox = join(dataDir, "outbox");
    const [name = "", ...others] = readdirSync(outbox);
    expect(others).toEqual([]);
    expect(name).toMatch(/^[\w.-]+\.eml$/);
    expect(statSync(outbox).mode & 0o777).toBe(0o700);
    expect(statSync(join(outbox, name)).mode & 0o777).toBe(0o600);
    expect(await readMail(readFileSync(join(outbox, name)))).toMatchObject({
      to: "anna@office.example",
      subject: message.subject,
      text: message.text,
    });
  });
});

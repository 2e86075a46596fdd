import type { Store } from "#app/db/store.server.ts";
import { deliverDueMails } from "#app/domain/mail/deliver.server.ts";
import { type QueuedMail, queueMail } from "#app/domain/mail/queue.server.ts";
import type { MailMessage } from "#app/mail/message.server.ts";
import type { MailTransport } from "#app/mail/transport.server.ts";
import { fixedClock, mailConfig, random, recordingLog, secrets } from "#tests/unit/domain/fixtures.ts";

export const anna = { username: "anna", displayName: "Anna Berg", email: "anna@office.example", locale: "de" };

/** Creates the dependencies of queueing and delivery, with shortcuts for both. */
export function mailDeps(store: Store) {
  const clock = fixedClock();
  const { log, lines } = recordingLog();
  const deps = { store, clock, random, secrets, config: mailConfig, log };
  return {
    ...deps,
    lines,
    queue: (mail: Partial<QueuedMail> = {}) =>
      queueMail(deps, { to: anna, template: { name: "password-changed" }, ...mail }),
    deliver: (transport: MailTransport) => deliverDueMails({ ...deps, transport }),
    rows: () => store.q.select().from(store.t.mailOutbox),
  };
}

/** Creates a transport that stores the mails, or throws what `fail` returns unless it is null. */
export function quickTransport(fail: () => unknown = () => null) {
  const sent: MailMessage[] = [];
  const transport: MailTransport = {
    async send(message) {
      const error = fail();
      if (error !== null) throw error;
      sent.push(message);
    },
    close() {},
  };
  return { transport, sent };
}

/** Returns the error that nodemailer throws when the recipient does not exist. */
export function refusedRecipient() {
  const fields = {
    code: "EENVELOPE",
    command: "RCPT TO",
    responseCode: 550,
    response: "550 <anna@office.example> unknown",
  };
  return Object.assign(new Error("550 <anna@office.example> unknown"), fields);
}

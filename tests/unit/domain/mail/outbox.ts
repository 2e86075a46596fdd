import type { Store } from "#app/db/store.server.ts";
import { deliverDueMails } from "#app/domain/mail/deliver.server.ts";
import { type QueuedMail, queueMail } from "#app/domain/mail/queue.server.ts";
import type { MailMessage } from "#app/mail/message.server.ts";
import type { MailTransport } from "#app/mail/transport.server.ts";
import { keptLog, mailConfig, random, secrets, standingClock } from "#tests/unit/domain/parts.ts";

export const anna = { username: "anna", displayName: "Anna Berg", email: "anna@office.example", locale: "de" };

/** What queueing and delivering touch, and shorter ways to do both. */
export function office(store: Store) {
  const clock = standingClock();
  const { log, lines } = keptLog();
  const parts = { store, clock, random, secrets, config: mailConfig, log };
  return {
    ...parts,
    lines,
    queue: (mail: Partial<QueuedMail> = {}) =>
      queueMail(parts, { to: anna, template: { name: "password-changed" }, ...mail }),
    deliver: (transport: MailTransport) => deliverDueMails({ ...parts, transport }),
    rows: () => store.q.select().from(store.t.mailOutbox),
  };
}

/** A way out that keeps what goes through it, or fails as it is told. */
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

/** What nodemailer throws at an address that does not exist. */
export function refusedRecipient() {
  const facts = {
    code: "EENVELOPE",
    command: "RCPT TO",
    responseCode: 550,
    response: "550 <anna@office.example> unknown",
  };
  return Object.assign(new Error("550 <anna@office.example> unknown"), facts);
}

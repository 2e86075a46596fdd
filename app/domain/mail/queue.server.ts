import { hasEventOfUser } from "#app/db/repositories/audit-events.server.ts";
import { findClientNames } from "#app/db/repositories/clients.server.ts";
import { addOutboxMail, countWaitingMails } from "#app/db/repositories/mail-outbox.server.ts";
import type { User } from "#app/db/schema.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { newId } from "#app/domain/base/new-id.server.ts";
import type { Secrets } from "#app/domain/secret/secrets.server.ts";
import { DAY_MS } from "#app/durations.ts";
import { type MailConfig, renderMail } from "#app/mail/message.server.ts";
import { isSecurityNotice, type MailTemplate, type Occasion } from "#app/mail/templates.server.ts";
import type { Clock, Random } from "#app/ports.ts";
import { issueNotMeLink } from "./not-me-link.server.ts";
import { type MailToken, sealMail } from "./sealed-mail.server.ts";

/** Lifetime of a mail without a link in the outbox. */
const NOTICE_DAYS = 3;

/** Dependencies of queueing. Inside a transaction, pass the transaction's store. */
export type MailDeps = { store: Store; clock: Clock; random: Random; secrets: Secrets; config: MailConfig };

/**
 * A mail to a user; `id` is omitted for an administrator. `token`: token of its link; the mail is dropped if it is no
 * longer valid. `expiresAt`: end of delivery attempts, default three days. `from`: the request that caused the mail, and
 * the client of its sign-in; omitted for a command. `pageLanguage`: language of the page on which the user asked for the
 * mail; omitted for a notice, which is in the user's language. `namesUnknown`: the registration that asks for the mail is
 * not recorded yet.
 */
export type QueuedMail = {
  to: Pick<User, "username" | "displayName" | "email" | "locale"> &
    Partial<Pick<User, "id" | "emailVerified" | "passwordSetAt">>;
  template: MailTemplate;
  token?: MailToken;
  expiresAt?: Date;
  pageLanguage?: string;
  namesUnknown?: boolean;
  from?: {
    address?: string | null | undefined;
    userAgent?: string | null | undefined;
    clientId?: string | null | undefined;
  };
};

/**
 * Renders, encrypts and stores a mail in the outbox, and wakes the mailer of this process after the commit; mails of a
 * command wait for a server. Call it in the transaction of the reported change. A security notice gets a link that ends
 * all access. A mail to an address that may be a stranger's repeats no name of the account. Does nothing for a user
 * without an e-mail address.
 */
export async function queueMail(deps: MailDeps, mail: QueuedMail): Promise<void> {
  const { store, clock, random, secrets, config } = deps;
  const { id: userId, username, displayName, email, locale } = mail.to;
  if (!email) return;
  const id = newId(random);
  const now = clock.now();
  const expiresAt = mail.expiresAt ?? new Date(now.getTime() + NOTICE_DAYS * DAY_MS);
  const notMeUrl = userId && isSecurityNotice(mail.template) ? await issueNotMeLink(deps, userId) : null;
  const application = await applicationOf(store, mail);
  const isNamed = !(mail.namesUnknown || (await isUnconfirmedRegistration(store, mail.to)));
  const from = requestOf(mail);
  const occasion = { username: isNamed ? username : null, at: now, until: expiresAt, from, application, notMeUrl };
  const to = { name: isNamed ? displayName : "", address: email };
  const { template, pageLanguage } = mail;
  const message = await renderMail(config, { id, to, locale, pageLanguage, template, occasion });
  const sealedMessage = await sealMail(secrets, { message, token: mail.token ?? null, expiresAt });
  const times = { nextAttemptAt: now, createdAt: now };
  await addOutboxMail(store, { id, kind: template.name, recipient: email, sealedMessage, ...times });
  store.afterCommit(() => store.events.emit("mail queued"));
}

/**
 * Returns true for a registered account whose mailed link was not used yet: anybody may have typed this address, and the
 * names are that person's text.
 */
export async function isUnconfirmedRegistration(store: Store, { id, emailVerified, passwordSetAt }: QueuedMail["to"]) {
  if (id === undefined || emailVerified || passwordSetAt) return false;
  return hasEventOfUser(store, id, "registration.completed");
}

function requestOf({ from }: QueuedMail): Occasion["from"] {
  return from?.address ? { address: from.address, userAgent: from.userAgent ?? "" } : null;
}

async function applicationOf(store: Store, { from }: QueuedMail): Promise<string | null> {
  if (!from?.clientId) return null;
  return (await findClientNames(store, [from.clientId])).get(from.clientId) ?? null;
}

/** `waiting`: number of unsent mails; `oldestSeconds`: age of the oldest of them, 0 if there is none. */
type QueueState = { waiting: number; oldestSeconds: number };

/** Reads the state of the outbox; sent and failed mails do not count. */
export async function readQueueState({ store, clock }: { store: Store; clock: Clock }): Promise<QueueState> {
  const { waiting, oldest } = await countWaitingMails(store);
  const oldestSeconds = oldest === null ? 0 : Math.max(0, (clock.now().getTime() - oldest.getTime()) / 1000);
  return { waiting, oldestSeconds };
}

import type { Logger } from "pino";
import {
  claimMails,
  listDueMailIds,
  markMailFailed,
  markMailSent,
  postponeMail,
} from "#app/db/repositories/mail-outbox.server.ts";
import { findOneTimeToken } from "#app/db/repositories/one-time-tokens.server.ts";
import { findUser } from "#app/db/repositories/users.server.ts";
import type { OutboxMail } from "#app/db/schema.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { instrumentation } from "#app/domain/audit/instrumentation.server.ts";
import { hasCode } from "#app/domain/base/errors.ts";
import { deliverDue, nextAttemptAt } from "#app/domain/delivery/deliver-due.server.ts";
import type { Secrets } from "#app/domain/secret/secrets.server.ts";
import { HOUR_SECONDS, MINUTE_MS, MINUTE_SECONDS } from "#app/durations.ts";
import { MAIL_ADVICE } from "#app/mail/advice.ts";
import { type MailProblem, problemOf } from "#app/mail/problem.server.ts";
import type { MailTransport } from "#app/mail/transport.server.ts";
import type { Clock } from "#app/ports.ts";
import { type MailContent, openMail } from "./sealed-mail.server.ts";

/** Dependencies of delivering mail. */
export type DeliveryDeps = {
  store: Store;
  clock: Clock;
  secrets: Secrets;
  log: Logger;
  transport: MailTransport;
};

/** Number of concurrent deliveries. */
const BATCH = 5;

/** Lifetime of a claim; must exceed the timeouts in transport.server.ts. */
const CLAIM_MS = 2 * MINUTE_MS;

/** Delay after each failed attempt; the last entry applies to all further ones. */
const BACKOFF_SECONDS = [
  MINUTE_SECONDS,
  5 * MINUTE_SECONDS,
  15 * MINUTE_SECONDS,
  HOUR_SECONDS,
  4 * HOUR_SECONDS,
] as const;

/**
 * Sends all due mails and returns how many were sent. Drops mails whose link is invalid; retries failed ones until they
 * expire, unless the server cannot accept their address. Safe in several processes at once.
 * @param stopped ends the delivery after the current batch
 */
export async function deliverDueMails(context: DeliveryDeps, stopped?: AbortSignal): Promise<number> {
  const { store, clock } = context;
  const queue = {
    clock,
    batchSize: BATCH,
    claimMs: CLAIM_MS,
    listDueIds: (query: Parameters<typeof listDueMailIds>[1]) => listDueMailIds(store, query),
    claim: (query: Parameters<typeof claimMails>[1]) => claimMails(store, query),
    deliver: (mail: OutboxMail) => deliver(context, mail),
  };
  return deliverDue(queue, stopped);
}

/** Returns true if the transport accepted the mail. */
async function deliver(context: DeliveryDeps, row: OutboxMail): Promise<boolean> {
  const mail = await openOrFail(context, row);
  if (mail === null) return false;
  const isNotice = mail.token === null;
  if (mail.expiresAt <= context.clock.now()) {
    return giveUp(context, row, { why: "it is too old", isRepeatable: isNotice });
  }
  if (!(await isLinkValid(context, mail))) {
    return giveUp(context, row, { why: "its link is dead", isRepeatable: false });
  }
  try {
    await context.transport.send(mail.message);
  } catch (error) {
    const { stage, reason } = problemOf(error);
    instrumentation.emit("mail attempt", { result: stage });
    if (stage === "address") return giveUp(context, row, { why: reason, isRepeatable: true });
    return retryLater(context, row, { expiresAt: mail.expiresAt, problem: { stage, reason } });
  }
  instrumentation.emit("mail attempt", { result: "sent" });
  await markMailSent(context.store, row.id, context.clock.now());
  context.log.info(logFieldsOf(row), "mail sent");
  return true;
}

async function openOrFail(context: DeliveryDeps, row: OutboxMail): Promise<MailContent | null> {
  try {
    return await openMail(context.secrets, row.sealedMessage);
  } catch (error) {
    if (!hasCode(error, "wrong secret key")) throw error;
    const why = "it was sealed with a key that is not among SECRET_KEYS";
    await giveUp(context, row, { why, isRepeatable: false });
    return null;
  }
}

/** Returns true if the mail has no one-time link, or one that still works: some end with the user's generation. */
export async function isLinkValid(
  { store, clock }: Pick<DeliveryDeps, "store" | "clock">,
  { token }: MailContent,
): Promise<boolean> {
  if (token === null) return true;
  const link = await findOneTimeToken(store, { kind: token.kind, tokenHash: token.hash, now: clock.now() });
  if (!link?.userId || link.generation === null) return link !== null;
  const user = await findUser(store, link.userId);
  return user?.status === "active" && user.generation === link.generation;
}

async function retryLater(
  context: DeliveryDeps,
  row: OutboxMail,
  { expiresAt, problem: { stage, reason: why } }: { expiresAt: Date; problem: MailProblem },
): Promise<false> {
  const at = nextAttemptAt(context.clock.now(), row.attempts, BACKOFF_SECONDS);
  if (at >= expiresAt) return giveUp(context, row, { why, isRepeatable: true });
  await postponeMail(context.store, row.id, { at, why });
  const fields = { why, fix: MAIL_ADVICE[stage], nextAttemptAt: at.toISOString() };
  context.log.warn({ ...logFieldsOf(row), ...fields }, "mail not sent");
  return false;
}

async function giveUp(
  context: DeliveryDeps,
  row: OutboxMail,
  { why, isRepeatable }: { why: string; isRepeatable: boolean },
): Promise<false> {
  await markMailFailed(context.store, row.id, { now: context.clock.now(), why, isRepeatable });
  context.log.warn({ ...logFieldsOf(row), why }, "mail failed");
  return false;
}

/** Returns the logged fields of a mail: no recipient, no content. */
function logFieldsOf({ id, kind, attempts }: OutboxMail) {
  return { mail: id, kind, attempts };
}

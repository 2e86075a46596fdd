import { hastenMail, listUnsentMails, requeueMail } from "#app/db/repositories/mail-outbox.server.ts";
import type { OutboxMail } from "#app/db/schema.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { hasCode } from "#app/domain/base/errors.ts";
import type { Secrets } from "#app/domain/secret/secrets.server.ts";
import { DAY_MS } from "#app/durations.ts";
import type { Clock } from "#app/ports.ts";
import { isLinkValid } from "./deliver.server.ts";
import { openMail, sealMail } from "./sealed-mail.server.ts";

/**
 * The state of a mail after a retry: it is "due" now; or it is "being sent" by a server; or its link is "dead"; or its content is
 * "deleted".
 */
export type RetryOutcome = "due" | "being sent" | "dead" | "deleted";

/** An unsent mail and what happened to it. */
export type RetriedMail = Pick<OutboxMail, "id" | "kind" | "recipient"> & { outcome: RetryOutcome };

/** A notice that was given up gets this time for its new attempts. */
const RETRY_DAYS = 1;

type RetryDeps = { store: Store; clock: Clock; secrets: Secrets };

/**
 * Makes unsent mails due now: waiting ones without their delay, and failed ones with new attempts. A mail whose link was
 * used, replaced or has expired is never sent. `ids`: only these mails; null for all. Returns the mails, oldest first.
 */
export async function retryMails(deps: RetryDeps, ids: readonly string[] | null): Promise<RetriedMail[]> {
  const rows = (await listUnsentMails(deps.store)).filter(({ id }) => ids === null || ids.includes(id));
  const retried: RetriedMail[] = [];
  for (const row of rows) {
    const { id, kind, recipient, failedAt } = row;
    const outcome = failedAt === null ? await hasten(deps, id) : await requeue(deps, row);
    retried.push({ id, kind, recipient, outcome });
  }
  return retried;
}

async function hasten({ store, clock }: RetryDeps, id: string): Promise<RetryOutcome> {
  return (await hastenMail(store, id, clock.now())) ? "due" : "being sent";
}

async function requeue(deps: RetryDeps, row: OutboxMail): Promise<RetryOutcome> {
  const { store, clock, secrets } = deps;
  const mail = await openStored(secrets, row);
  if (mail === null) return "deleted";
  if (!(await isLinkValid(deps, mail))) return "dead";
  const now = clock.now();
  const extended = new Date(Math.max(mail.expiresAt.getTime(), now.getTime() + RETRY_DAYS * DAY_MS));
  // A mail with a link ends with the link.
  const expiresAt = mail.token === null ? extended : mail.expiresAt;
  const resealed = await sealMail(secrets, { ...mail, expiresAt });
  return (await requeueMail(store, row, { now, resealed })) ? "due" : "being sent";
}

async function openStored(secrets: Secrets, { sealedMessage }: OutboxMail) {
  if (sealedMessage === "") return null;
  try {
    return await openMail(secrets, sealedMessage);
  } catch (error) {
    if (hasCode(error, "wrong secret key")) return null;
    throw error;
  }
}

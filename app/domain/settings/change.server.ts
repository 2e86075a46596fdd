import { moveGrants } from "#app/db/repositories/engine-access.server.ts";
import { removeOtherEngineSessions } from "#app/db/repositories/engine-sessions.server.ts";
import {
  moveAllSettings,
  moveSettingsHolder,
  removeOlderSettings,
} from "#app/db/repositories/manage-generation.server.ts";
import { removeOneTimeTokensOfUser } from "#app/db/repositories/one-time-tokens.server.ts";
import { raiseGeneration } from "#app/db/repositories/user-generation.server.ts";
import type { OneTimeTokenKind } from "#app/db/schema.server.ts";
import type { Store } from "#app/db/store.server.ts";
import type { AuditEventType } from "#app/domain/audit/events.ts";
import type { AuditDeps } from "#app/domain/audit/record.server.ts";
import { queueLogouts } from "#app/domain/backchannel-logout/queue.server.ts";
import { keepIf } from "#app/domain/keep-if.server.ts";
import { notifyUser } from "#app/domain/mail/notify.server.ts";
import type { MailDeps } from "#app/domain/mail/queue.server.ts";
import { endAccess } from "#app/domain/session/end-access.server.ts";
import { moveSessions } from "#app/domain/session/engine-session.server.ts";
import type { MailTemplate } from "#app/mail/templates.server.ts";
import type { RequestMetadata } from "#app/ports.ts";
import { isFresh, type SettingsAccess } from "./access.ts";
import { recordSettings } from "./record.server.ts";

/** What a change in the settings touches. */
export type ChangeDeps = AuditDeps & MailDeps;

/** The access ended meanwhile: another change, a block, a reset. Nothing was changed. */
export type Unauthorized = { kind: "unauthorized" };

/** The last proof of identity is too old for this change. Nothing was changed. */
export type ReauthenticationRequired = { kind: "reauthentication_required" };

/** What every sensitive change can end with, beside its own outcomes. */
export type NotAllowed = Unauthorized | ReauthenticationRequired;

export type Done = { kind: "done" };

/** A change of the account that voids older access. */
export type AccountChange<Refusal extends { kind: string }> = {
  /** Makes the change with the transaction's store; a refusal undoes all that happened. */
  apply(tx: Store): Promise<Done | Refusal>;
  /** What the person is told by mail. */
  template: MailTemplate;
  event: AuditEventType;
  /** A fixed word for the audit. */
  reason?: string;
  /** Whether the person's other sessions go on. What came by mail is void either way. */
  others: "end" | "stay";
  /** A factor that the change proves: it counts for the session from now on. */
  proven?: "otp" | "hwk";
};

/**
 * Changes an account on behalf of the person in its settings, in one transaction: raises the generation from the one
 * that opened the settings, so that of many at once one wins, and moves what made the change along. Everything else of
 * the person ends: sessions, what applications hold, page sessions and chains, links and pending tokens. Mail and audit
 * belong to it.
 */
export async function changeAccount<Refusal extends { kind: string }>(
  context: ChangeDeps,
  access: SettingsAccess,
  facts: RequestMetadata,
  change: AccountChange<Refusal>,
): Promise<Done | Refusal | NotAllowed> {
  const { userId, generation: from } = access;
  const now = context.clock.now();
  if (!isFresh(access, now)) return { kind: "reauthentication_required" };
  return keepIf<Done | Refusal | NotAllowed>(context.store, isDone, async (store) => {
    // Before the user: a reset takes its link first and the user second, and neither may wait for the other.
    await removeOneTimeTokensOfUser(store, userId, LINKS);
    const to = await raiseGeneration(store, userId, { expected: from, now });
    if (to === null) return { kind: "unauthorized" };
    const outcome = await change.apply(store);
    if (!isDone(outcome)) return outcome;
    await removeOneTimeTokensOfUser(store, userId, DYING_KINDS);
    await moveAccess(store, { access, move: { userId, from, to }, change, now });
    const parts = { ...context, store };
    await notifyUser(parts, userId, { template: change.template, from: facts });
    const { event: type, reason } = change;
    await recordSettings(parts, access, facts, { type, outcome: "ok", ...(reason === undefined ? {} : { reason }) });
    return outcome;
  });
}

/** Links that somebody may hold in a mail. */
const LINKS: readonly OneTimeTokenKind[] = ["password-reset", "mfa-reset", "mfa-reset-stop"];

/** What is under way elsewhere. */
const DYING_KINDS: readonly OneTimeTokenKind[] = [
  "mfa",
  "totp-setup",
  "webauthn-registration",
  "webauthn-assertion",
  "settings",
  "settings-confirm",
];

function isDone(outcome: { kind: string }): boolean {
  return outcome.kind === "done";
}

type Moving = {
  access: SettingsAccess;
  move: { userId: string; from: number; to: number };
  change: Pick<AccountChange<never>, "others" | "proven">;
  now: Date;
};

async function moveAccess(store: Store, { access, move, change, now }: Moving): Promise<void> {
  const { userId, to } = move;
  const proven = change.proven ?? null;
  if (change.others === "stay") {
    await moveSessions(store, { ...move, uid: null, proven: null, now });
    await moveGrants(store, { ...move, grantIds: null });
    await moveAllSettings(store, move);
    return;
  }
  if (access.sessionUid !== null) await moveSessions(store, { ...move, uid: access.sessionUid, proven, now });
  await queueLogouts({ store, now }, userId, { exceptUid: access.sessionUid });
  await removeOtherEngineSessions(store, userId, access.sessionUid);
  await endAccess({ store }, userId);
  await moveSettingsHolder(store, access.holder, move);
  await removeOlderSettings(store, userId, to);
}

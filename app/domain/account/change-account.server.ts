import { moveGrants } from "#app/db/repositories/engine-access.server.ts";
import { removeOtherEngineSessions } from "#app/db/repositories/engine-sessions.server.ts";
import {
  moveAllSettings,
  moveSettingsHolder,
  removeOlderSettings,
} from "#app/db/repositories/manage-generation.server.ts";
import { removeOneTimeTokensOfUser } from "#app/db/repositories/one-time-tokens.server.ts";
import { incrementGeneration } from "#app/db/repositories/user-generation.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { rollback } from "#app/db/transaction.server.ts";
import { type Done, isFresh, type NotAllowed, type SettingsAccess } from "#app/domain/access/access.ts";
import type { SettingsGrant } from "#app/domain/access/grant.server.ts";
import { recordSettings } from "#app/domain/access/record.server.ts";
import type { AuditEventType } from "#app/domain/audit/events.ts";
import type { AuditDeps } from "#app/domain/audit/record.server.ts";
import { queueLogouts } from "#app/domain/backchannel-logout/queue.server.ts";
import { moveSessions } from "#app/domain/engine-session/engine-session.server.ts";
import { notifyUser } from "#app/domain/mail/notify.server.ts";
import type { MailDeps } from "#app/domain/mail/queue.server.ts";
import { LINK_KINDS, PENDING_KINDS } from "#app/domain/secret/token-kinds.ts";
import { endAccess } from "#app/domain/session/end-access.server.ts";
import type { MailTemplate } from "#app/mail/templates.server.ts";
import type { RequestMetadata } from "#app/ports.ts";

/** Dependencies of changes in the settings. */
export type ChangeDeps = AuditDeps & MailDeps;

/** The access that allows a change. `holder`: absent outside the settings, right after a sign-in. */
export type ChangeAccess = SettingsGrant & Partial<Pick<SettingsAccess, "holder">>;

/** An account change that invalidates older access. */
type AccountChange<Refusal extends { kind: string }> = {
  /** Makes the change with the transaction's store. A refusal rolls back. */
  apply(tx: Store): Promise<Done | Refusal>;
  /** Mail to the user. */
  template: MailTemplate;
  event: AuditEventType;
  /** A fixed word for the audit trail. */
  reason?: string;
  /** "end" ends the user's other sessions. Mailed links are invalidated in either case. */
  others: "end" | "stay";
  /** Checks a proof of identity that the change itself contains, in place of a recent one. */
  isProven?: (tx: Store) => Promise<boolean>;
  /** A factor that the change proves. It is added to the session. */
  proven?: "otp" | "hwk" | "swk";
};

/**
 * Makes an account change in one transaction. Raises the user's generation, so that of several simultaneous changes one
 * succeeds. With `others` "end", only the current session and settings move to the new generation, and all grants and
 * tokens are removed; with "stay", all move. Pending operations and mailed links are removed in either case. Notifies
 * the user by mail.
 */
export async function changeAccount<Refusal extends { kind: string }>(
  context: ChangeDeps,
  access: ChangeAccess,
  metadata: RequestMetadata,
  change: AccountChange<Refusal>,
): Promise<Done | Refusal | NotAllowed> {
  const { userId, generation: from } = access;
  const now = context.clock.now();
  const isProven = change.isProven ?? (async () => isFresh(access, now));
  return context.store.tx<Done | Refusal | NotAllowed>(async (store) => {
    if (!(await isProven(store))) return rollback({ kind: "reauthentication_required" });
    // Before the user's row: a password reset locks its link first and the user second.
    await removeOneTimeTokensOfUser(store, userId, LINK_KINDS);
    const to = await incrementGeneration(store, userId, { expected: from, now });
    if (to === null) return rollback({ kind: "unauthorized" });
    const outcome = await change.apply(store);
    if (outcome.kind !== "done") return rollback(outcome);
    await removeOneTimeTokensOfUser(store, userId, PENDING_KINDS);
    await moveAccess(store, { access, move: { userId, from, to }, change, now });
    const deps = { ...context, store };
    await notifyUser(deps, userId, { template: change.template, from: metadata });
    const { event: type, reason } = change;
    await recordSettings(deps, access, metadata, { type, outcome: "ok", ...(reason === undefined ? {} : { reason }) });
    return outcome;
  });
}

type AccessMove = {
  access: ChangeAccess;
  move: { userId: string; from: number; to: number };
  change: Pick<AccountChange<never>, "others" | "proven">;
  now: Date;
};

async function moveAccess(store: Store, { access, move, change, now }: AccessMove): Promise<void> {
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
  if (access.holder) await moveSettingsHolder(store, access.holder, move);
  await removeOlderSettings(store, userId, to);
}

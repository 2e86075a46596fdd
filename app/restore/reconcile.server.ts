import type { Logger } from "pino";
import { isProvider } from "#app/config/providers.ts";
import { StoreError } from "#app/db/errors.server.ts";
import { followAudit } from "#app/db/files/audit-writer.server.ts";
import { readEpochFile, writeEpochFile } from "#app/db/files/epoch-file.server.ts";
import { appendAuditEvent, findLastAuditEvent } from "#app/db/repositories/audit-events.server.ts";
import { removeClient, updateClientSecret } from "#app/db/repositories/clients.server.ts";
import { removeMemberships } from "#app/db/repositories/group-members.server.ts";
import { getInstance } from "#app/db/repositories/instance.server.ts";
import { removeRecordsOfClient } from "#app/db/repositories/oidc-records.server.ts";
import { reserveUsername } from "#app/db/repositories/reserved-usernames.server.ts";
import {
  clearPassword,
  clearRecoveryCodes,
  disconnectProviders,
  invalidateEverything,
  markRestoreChecked,
  putIntoService,
} from "#app/db/repositories/restore.server.ts";
import { setUserStatus } from "#app/db/repositories/users.server.ts";
import { removePasskeysSince } from "#app/db/repositories/webauthn-credentials.server.ts";
import type { Instance } from "#app/db/schema.server.ts";
import { acquireServerLock } from "#app/db/sqlite/server-lock.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { type AuditDeps, recordEvent } from "#app/domain/audit/record.server.ts";
import { queueAllLogouts } from "#app/domain/backchannel-logout/queue.server.ts";
import { notifyAdministrator } from "#app/domain/mail/notify.server.ts";
import { createSecrets, type Secrets } from "#app/domain/secret/secrets.server.ts";
import { STEP_SECONDS } from "#app/domain/totp/verify.server.ts";
import { canonicalForm } from "#app/domain/username/canonical.ts";
import type { MailConfig } from "#app/mail/message.server.ts";
import type { Clock, Random } from "#app/ports.ts";
import { ownAuditSource } from "./audit-source.server.ts";
import { affectedBy, planReconciliation, type ReconciliationActions, type ReconciliationPlan } from "./plan.server.ts";
import type { RestoreSign } from "./report.ts";
import { countAffectedUsers, type RestoreReport, restoreReportSchema } from "./report.ts";

/** Dependencies of the reconciliation. */
export type ReconcileDeps = {
  store: Store;
  clock: Clock;
  random: Random;
  log: Logger;
  config: MailConfig & { secretKeys: string[]; adminMail: string | null };
};

/** Input of the reconciliation. */
export type ReconcileInput = {
  /** The SQLite file. */
  file: string;
  instance: Instance;
  sign: RestoreSign;
  /** True if this process already holds the server lock. */
  isAlone: boolean;
  /** True if the database may change to the configured issuer. */
  acceptIssuer?: boolean;
};

const TYPE = "database.restored";

/**
 * Puts a restored database into service. One transaction invalidates everything that was issued, applies the actions
 * (plan.server.ts), increments the epoch and records the report as an audit event. After a crash the next start repeats or
 * finishes it. Throws StoreError "swapped" while a server runs on this file.
 */
export async function reconcileRestoredDatabase(context: ReconcileDeps, input: ReconcileInput): Promise<RestoreReport> {
  const lock = input.isAlone ? null : lockDatabase(input.file);
  try {
    const epoch = nextEpoch(input);
    const source = ownAuditSource(input.file);
    // Kept until the end, because a repetition after a crash finds this epoch file.
    writeEpochFile(input.file, { epoch, raising: true, ...(source.isComplete ? {} : { auditIncomplete: true }) });
    const plan = await planReconciliation(context.store, source);
    const formerIssuer = input.instance.issuer === context.config.issuer ? null : input.instance.issuer;
    const report = { ...affectedBy(plan), at: context.clock.now(), sign: input.sign, epoch, formerIssuer };
    await commitPlan(context, input, { plan, report });
    await finishReconciliation(context, input.file, report);
    return report;
  } finally {
    lock?.release();
  }
}

/** Runs the steps after the transaction, also after a crash in between: audit file, epoch file, log. */
export async function finishReconciliation(
  { store, log }: ReconcileDeps,
  file: string,
  report: RestoreReport,
): Promise<void> {
  // The new event makes the audit file match this database again.
  await followAudit(store, file, () => {}).catchUp();
  writeEpochFile(file, { epoch: report.epoch, raising: false });
  const { blocked, mustSetPassword, lostUsers, ...rest } = report;
  const usernames = (users: { username: string }[]) => users.map(({ username }) => username);
  log.warn(
    {
      sign: rest.sign,
      epoch: rest.epoch,
      snapshotAt: rest.snapshotAt?.toISOString() ?? null,
      isComplete: rest.isComplete,
      blocked: usernames(blocked),
      mustSetPassword: usernames(mustSetPassword),
      lostUsers,
    },
    "an older database was put into service and every session ended. See: gatehouse restore --report",
  );
}

/** Returns the report of the last reconciliation; null if there was none. */
export async function findRestoreReport(store: Store): Promise<RestoreReport | null> {
  const event = await findLastAuditEvent(store, TYPE);
  return event && restoreReportSchema.parse(event.detail);
}

/**
 * Invalidates everything that was issued and increments the epoch, without an audit file: for a PostgreSQL database
 * that was restored by its own tools. Returns the new epoch, which servers use after their next start.
 */
export async function endAllAccess({ store, clock }: Pick<ReconcileDeps, "store" | "clock">): Promise<number> {
  const now = clock.now();
  return store.tx(async (tx) => {
    const { epoch: former, issuer, rpId } = await getInstance(tx);
    const epoch = former + 1;
    await queueAllLogouts(tx, now);
    await invalidateEverything(tx, { totpStep: totpStepAt(now) });
    await putIntoService(tx, { epoch, issuer, rpId, uncheckedAt: now });
    await appendAuditEvent(tx, { at: now, type: "access.ended", outcome: "ok", ...NO_ACTOR, detail: { epoch } });
    return epoch;
  });
}

/**
 * Records that an administrator has checked the last restore: the changes that are unknown, and the affected users. Returns
 * false if no restore waits for that, so that of two administrators one confirms.
 */
export async function confirmRestore({ store, clock, log }: AuditDeps): Promise<boolean> {
  return store.tx(async (tx) => {
    const isConfirmed = await markRestoreChecked(tx);
    if (isConfirmed) await recordEvent({ store: tx, clock, log }, { type: "restore.checked", outcome: "ok" });
    return isConfirmed;
  });
}

const NO_ACTOR = { userId: null, clientId: null, address: null, requestId: null };

function totpStepAt(now: Date): number {
  return Math.floor(now.getTime() / 1000 / STEP_SECONDS);
}

function lockDatabase(file: string): { release(): void } {
  try {
    return acquireServerLock(file);
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    throw new StoreError(
      "swapped",
      `${file} was replaced by another database while its server is running.\nStop the server, then start it again.`,
    );
  }
}

function nextEpoch({ file, instance }: ReconcileInput): number {
  const epochFile = readEpochFile(file);
  if (epochFile?.raising && instance.epoch < epochFile.epoch) return epochFile.epoch;
  return Math.max(instance.epoch, epochFile?.epoch ?? 0) + 1;
}

async function commitPlan(
  context: ReconcileDeps,
  { instance, acceptIssuer }: ReconcileInput,
  { plan, report }: { plan: ReconciliationPlan; report: RestoreReport },
): Promise<void> {
  const { clock, random, config } = context;
  const now = clock.now();
  const secrets = createSecrets({ secretKeys: config.secretKeys, epoch: report.epoch });
  // A random secret that is never disclosed.
  const unusableSecret = await secrets.seal("client-secret", random.token());
  await context.store.tx(async (tx) => {
    await queueAllLogouts(tx, now);
    await invalidateEverything(tx, { totpStep: totpStepAt(now) });
    await applyActions(tx, plan.actions, { now, unusableSecret });
    const address = acceptIssuer ? { issuer: config.issuer, rpId: new URL(config.issuer).hostname } : instance;
    const needsCheck = !report.isComplete || countAffectedUsers(report) > 0;
    const uncheckedAt = needsCheck ? report.at : null;
    await putIntoService(tx, { epoch: report.epoch, issuer: address.issuer, rpId: address.rpId, uncheckedAt });
    await mailAdministrator({ ...context, store: tx, secrets }, report);
    const detail: Record<string, unknown> = JSON.parse(JSON.stringify(report));
    await appendAuditEvent(tx, { at: now, type: TYPE, outcome: "ok", ...NO_ACTOR, detail });
  });
}

async function applyActions(
  tx: Store,
  actions: ReconciliationActions,
  { now, unusableSecret }: { now: Date; unusableSecret: Awaited<ReturnType<Secrets["seal"]>> },
): Promise<void> {
  for (const { id } of actions.clearPassword) await clearPassword(tx, id, now);
  for (const { id } of actions.clearRecoveryCodes) await clearRecoveryCodes(tx, id);
  for (const { id } of actions.removePasskeys) await removePasskeysSince(tx, { userId: id, since: null });
  for (const { id, providers } of actions.disconnect) await disconnectProviders(tx, id, providers.filter(isProvider));
  for (const { id, groups } of actions.leaveGroups) {
    await removeMemberships(
      tx,
      id,
      groups.map((group) => group.id),
    );
  }
  for (const { id, username } of actions.reserveNames) {
    await reserveUsername(tx, { usernameCanonical: canonicalForm(username), userId: id, reservedAt: now });
  }
  for (const { id } of actions.block) await setUserStatus(tx, id, "blocked", now);
  for (const id of actions.clearSecrets) await updateClientSecret(tx, id, unusableSecret, now);
  for (const id of actions.removeClients) {
    await removeRecordsOfClient(tx, id);
    await removeClient(tx, id);
  }
}

async function mailAdministrator(context: ReconcileDeps & { secrets: Secrets }, report: RestoreReport): Promise<void> {
  const { isComplete } = report;
  await notifyAdministrator(context, { name: "database-restored", users: countAffectedUsers(report), isComplete });
}

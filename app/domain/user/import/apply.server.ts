import { createUser, setUserPassword } from "#app/db/repositories/users.server.ts";
import { type AuditDeps, recordEvent } from "#app/domain/audit/record.server.ts";
import { newId } from "#app/domain/base/new-id.server.ts";
import { changeStatus } from "#app/domain/user/block.server.ts";
import { getUserByName } from "#app/domain/user/get.server.ts";
import { changeUser, type UserChanges } from "#app/domain/user/set.server.ts";
import { lockLoginNames, requireFreeName, requireVerifiable } from "#app/domain/username/require-free.server.ts";
import type { Random } from "#app/ports.ts";
import type { PlannedRow } from "./plan.server.ts";

/** New users per transaction. Small, because a transaction holds the only writer of a SQLite file. */
const BATCH = 50;

/** Result of an import. `stoppedAfter`: line of the last imported row if the import was stopped, else null. */
export type ImportResult = { added: number; updated: number; skipped: number; stoppedAfter: number | null };

/** `onProgress` receives the number of finished rows; `isStopped` is called before each batch. */
type ImportOptions = { onProgress?: (done: number) => void; isStopped?: () => boolean };

/**
 * Applies a plan without problems in small transactions, so that a server can run meanwhile. After a stop the finished
 * rows stay; the same file with "skip" continues. An update changes only given fields, and never replaces a password.
 */
export async function applyImport(
  context: AuditDeps & { random: Random },
  rows: readonly PlannedRow[],
  { onProgress, isStopped }: ImportOptions = {},
): Promise<ImportResult> {
  const result: ImportResult = { added: 0, updated: 0, skipped: 0, stoppedAfter: null };
  let done = 0;
  while (done < rows.length) {
    if (isStopped?.()) return { ...result, stoppedAfter: rows[done - 1]?.line ?? 0 };
    const batch = nextBatch(rows, done);
    await context.store.tx(async (tx) => {
      // Before the audit trail, which the first row locks. An update locks its user before.
      if (batch.some(({ action }) => action === "add")) await lockLoginNames(tx);
      for (const row of batch) await applyRow({ ...context, store: tx }, row);
    });
    for (const { action } of batch) result[COUNTED_AS[action]] += 1;
    done += batch.length;
    onProgress?.(done);
  }
  return result;
}

/**
 * Returns the rows of the next transaction. An update has its own: it locks its user and then, for its event, the audit
 * trail; another user who is locked after that could deadlock.
 */
function nextBatch(rows: readonly PlannedRow[], done: number): readonly PlannedRow[] {
  const next = rows.slice(done, done + BATCH);
  const update = next.findIndex(({ action }) => action === "update");
  return update < 0 ? next : next.slice(0, Math.max(1, update));
}

const COUNTED_AS = { add: "added", update: "updated", skip: "skipped" } as const;

async function applyRow(context: AuditDeps & { random: Random }, row: PlannedRow): Promise<void> {
  switch (row.action) {
    case "add":
      return add(context, row);
    case "update":
      return update(context, row);
    case "skip":
      return;
  }
}

async function add(context: AuditDeps & { random: Random }, row: PlannedRow): Promise<void> {
  const { username, canonical, email, phone, picture, address, locale, permissions, status, groupId } = row;
  const now = context.clock.now();
  const id = newId(context.random);
  // The plan has checked both, but another process may have stored the name or the address since.
  await requireFreeName(context.store, canonical, null);
  if (email !== null && row.email_verified) await requireVerifiable(context.store, email, id);
  const hash = row.password_hash;
  const password = { passwordSetAt: hash === null ? null : now, passwordSetHow: hash ? ("import" as const) : null };
  const user = await createUser(context.store, {
    id,
    ...{
      username,
      usernameCanonical: canonical,
      displayName: row.display_name,
      groupId,
      createdAt: now,
      updatedAt: now,
    },
    ...{ email, emailVerified: row.email_verified, phone, picture, address, locale, permissions, status },
    ...{ passwordHash: hash, ...password },
  });
  await recordEvent(context, { type: "user.added", outcome: "ok", userId: user.id, username, reason: "import" });
}

async function update(context: AuditDeps, row: PlannedRow): Promise<void> {
  const { store, clock } = context;
  const { username, presentFields } = row;
  const changes = changesOf(row);
  if (Object.keys(changes).length > 0) await changeUser(context, username, changes);
  const user = await getUserByName(store, username);
  if (presentFields.has("status") && row.status !== user.status) await changeStatus(context, user.id, row.status);
  if (row.password_hash !== null && user.passwordHash === null) {
    await setUserPassword(store, user.id, { hash: row.password_hash, how: "import", at: clock.now() });
    await recordEvent(context, {
      type: "user.password-set",
      outcome: "ok",
      userId: user.id,
      username,
      reason: "import",
    });
  }
}

function changesOf({ presentFields, ...row }: PlannedRow): UserChanges {
  const { display_name, email, email_verified, phone, picture, address, group, permissions, locale } = row;
  const all = { display_name, email, email_verified, phone, picture, address, group, permissions, locale };
  const fieldNames = new Map([
    ["display_name", "displayName"],
    ["email_verified", "emailVerified"],
    ["group", "groupName"],
  ]);
  const givenFields = Object.entries(all).filter(([field]) => presentFields.has(field));
  return Object.fromEntries(givenFields.map(([field, value]) => [fieldNames.get(field) ?? field, value]));
}

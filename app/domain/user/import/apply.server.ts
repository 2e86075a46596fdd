import type { Config } from "#app/config/config.ts";
import { isMissingReference } from "#app/db/errors.server.ts";
import { listFurtherGroups } from "#app/db/repositories/group-members.server.ts";
import { createUser, setUserPassword } from "#app/db/repositories/users.server.ts";
import type { NewUser, User } from "#app/db/schema.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { type AuditDeps, recordEvent } from "#app/domain/audit/record.server.ts";
import { DomainError } from "#app/domain/base/errors.ts";
import { newId } from "#app/domain/base/new-id.server.ts";
import { addFirstMemberships, lockMemberships } from "#app/domain/group/membership.server.ts";
import type { MailDeps } from "#app/domain/mail/queue.server.ts";
import type { LinkDeps } from "#app/domain/password-reset/link.server.ts";
import { endSessions } from "#app/domain/session/end-access.server.ts";
import { changeStatus } from "#app/domain/user/block.server.ts";
import { getUserByName } from "#app/domain/user/get.server.ts";
import { sendInvitation } from "#app/domain/user/invite.server.ts";
import { changeUserById } from "#app/domain/user/set.server.ts";
import { lockLoginNames, requireFreeName, requireVerifiable } from "#app/domain/username/require-free.server.ts";
import { changesOf, differencesOf } from "./differences.server.ts";
import type { PlannedRow } from "./plan.server.ts";

/** New users per transaction. Small, because a transaction holds the only writer of a SQLite file. */
const BATCH = 50;

/** New users per transaction if they are invited: each mail is rendered in it. */
const INVITED_BATCH = 10;

/**
 * Result of an import. `unchanged`: rows for an update that equal the stored user. `invited`: added users with a queued
 * invitation. `stoppedAfter`: line of the last imported row if the import was stopped, else null.
 */
export type ImportResult = Record<"added" | "updated" | "unchanged" | "skipped" | "invited", number> & {
  stoppedAfter: number | null;
};

/** Dependencies of an import. */
type ImportDeps = AuditDeps & MailDeps & LinkDeps & { config: Pick<Config, "timeZone"> };

/** `onProgress` receives the number of finished rows; `isStopped` is called before each batch. */
type ImportOptions = { onProgress?: (done: number) => void; isStopped?: () => boolean };

/**
 * Applies a plan without problems in small transactions, so that a server can run meanwhile. After a stop the finished
 * rows stay; the same file with "skip" continues. An update changes only given fields, and never replaces a password. A
 * new user gets the default groups, too.
 */
export async function applyImport(
  context: ImportDeps,
  rows: readonly PlannedRow[],
  { onProgress, isStopped }: ImportOptions = {},
): Promise<ImportResult> {
  const result: ImportResult = {
    ...{ added: 0, updated: 0, unchanged: 0, skipped: 0, invited: 0 },
    stoppedAfter: null,
  };
  let done = 0;
  while (done < rows.length) {
    if (isStopped?.()) return { ...result, stoppedAfter: rows[done - 1]?.line ?? 0 };
    const batch = nextBatch(rows, done);
    await context.store.tx(async (tx) => {
      // Before the audit trail, which the first row locks. An update locks its user before.
      if (batch.some(({ action }) => action === "add")) {
        await lockMemberships(tx);
        await lockLoginNames(tx);
      }
      for (const row of batch) await applyRow({ ...context, store: tx }, row);
    });
    for (const { action, isInvited } of batch) {
      result[COUNTED_AS[action]] += 1;
      if (isInvited) result.invited += 1;
    }
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
  const next = rows.slice(done, done + (rows[done]?.isInvited ? INVITED_BATCH : BATCH));
  const update = next.findIndex(({ action }) => action === "update");
  return update < 0 ? next : next.slice(0, Math.max(1, update));
}

const COUNTED_AS = { add: "added", update: "updated", keep: "unchanged", skip: "skipped" } as const;

async function applyRow(context: ImportDeps, row: PlannedRow): Promise<void> {
  switch (row.action) {
    case "add":
      return add(context, row);
    case "update":
      return update(context, row);
    case "keep":
    case "skip":
      return;
  }
}

async function add(context: ImportDeps, row: PlannedRow): Promise<void> {
  const { username, canonical, email, phone, picture, address, locale, permissions, status, groupId } = row;
  const { given_name: givenName, family_name: familyName } = row;
  const now = context.clock.now();
  const id = newId(context.random);
  // The plan has checked it, but another process may have stored the address since.
  if (email !== null && row.email_verified) await requireVerifiable(context.store, email, id);
  const hash = row.password_hash;
  const password = { passwordSetAt: hash === null ? null : now, passwordSetHow: hash ? ("import" as const) : null };
  const stored = {
    id,
    ...{ username, usernameCanonical: canonical, displayName: row.display_name, givenName, familyName },
    ...{ groupId, createdAt: now, updatedAt: now },
    ...{ email, emailVerified: row.email_verified, phone, picture, address, locale, permissions, status },
    ...{ passwordHash: hash, ...password },
  };
  const user = await createNewUser(context.store, stored, row);
  await recordEvent(context, { type: "user.added", outcome: "ok", userId: user.id, username, reason: "import" });
  if (!row.isInvited) return;
  await sendInvitation(context, user);
  await recordEvent(context, { type: "user.invited", outcome: "ok", userId: user.id });
}

async function createNewUser(store: Store, user: NewUser, row: PlannedRow): Promise<User> {
  try {
    const created = await createUser(store, user);
    await requireFreeName(store, created.usernameCanonical, created.id);
    await addFirstMemberships(store, created, row.furtherGroups);
    return created;
  } catch (error) {
    // Another process has added the user, or removed a group, since the plan.
    if (store.isUnique(error)) throw new DomainError("username not available", { detail: user.username, cause: error });
    if (!isMissingReference(error)) throw error;
    const detail = [row.group, ...row.groups].filter((name) => name !== null).join(", ");
    throw new DomainError("group not found", { detail, cause: error });
  }
}

async function update(context: ImportDeps, row: PlannedRow): Promise<void> {
  const { store, clock } = context;
  const { username } = row;
  const user = await getUserByName(store, username);
  // The user of the plan has been renamed since, and another one has the name.
  if (user.id !== row.userId) throw new DomainError("user not found", { detail: username });
  const differences = differencesOf(row, user, (await listFurtherGroups(store, [user.id])).get(user.id) ?? []);
  const { fields, addGroups, removeGroups, status, passwordHash } = differences;
  if (fields.length + addGroups.length + removeGroups.length > 0) {
    await changeUserById(context, user.id, { ...changesOf(row, fields), addGroups, removeGroups });
  }
  if (status !== null) await changeStatus(context, user, status);
  if (passwordHash !== null) {
    await setUserPassword(store, user.id, { hash: passwordHash, how: "import", at: clock.now() });
    // The new generation voids the sessions that the user has begun without a password.
    await endSessions(context, user.id);
    await recordEvent(context, {
      type: "user.password-set",
      outcome: "ok",
      userId: user.id,
      username,
      reason: "import",
    });
  }
}

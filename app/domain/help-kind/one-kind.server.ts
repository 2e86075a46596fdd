import {
  addHelpLink,
  type HelpLink,
  listHelpLinks,
  withdrawHelpLinks,
} from "#app/db/repositories/help-links.server.ts";
import { isUnusedUser } from "#app/db/repositories/invited-users.server.ts";
import type { HelpKind, User } from "#app/db/schema.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { type AuditDeps, recordEvent } from "#app/domain/audit/record.server.ts";
import { newId } from "#app/domain/base/new-id.server.ts";
import { hashToken } from "#app/domain/secret/token-hash.server.ts";
import { DAY_MS, MINUTE_MS } from "#app/durations.ts";
import type { Random, RequestMetadata } from "#app/ports.ts";

/** Time in which a person gets help of one kind only: both kinds together would replace the whole sign-in. */
const OTHER_KIND_MS = DAY_MS;

/**
 * Returns the time from which the person can get help of this kind, because the person got help of the other kind; null
 * if the person can get it now. Call it under the lock of the roles if a change depends on it.
 */
export async function findOtherKindEnd(
  store: Store,
  user: Pick<User, "id" | "generation">,
  { kind, now }: { kind: HelpKind; now: Date },
): Promise<Date | null> {
  const others = (await listHelpLinks(store, user.id)).filter((link) => link.kind !== kind && counts(link, user));
  if (others.length === 0) return null;
  const last = Math.max(...others.map(({ createdAt, usedAt }) => (usedAt ?? createdAt).getTime()));
  const end = new Date(last + OTHER_KIND_MS);
  return end > now ? end : null;
}

/** Unused help that was withdrawn, or died by a change of the account, does not count: it opened nothing. */
function counts({ usedAt, withdrawnAt, generation }: HelpLink, user: Pick<User, "generation">): boolean {
  return usedAt !== null || (withdrawnAt === null && generation === user.generation);
}

/** `metadata`: of the request that gives the other help; omitted for a command and for a page that changes a person. */
type WithdrawDeps = AuditDeps & { metadata?: Pick<RequestMetadata, "address" | "userAgent" | "requestId"> };

/** Withdraws the open help of a person, in the transaction of the store, and records it. Returns how many there were. */
export async function withdrawOpenHelp(
  { metadata, ...deps }: WithdrawDeps,
  { id: userId, username }: Pick<User, "id" | "username">,
): Promise<number> {
  const withdrawn = await withdrawHelpLinks(deps.store, userId, deps.clock.now());
  for (const { kind: reason } of withdrawn) {
    await recordEvent(deps, { type: "help.withdrawn", outcome: "ok", reason, userId, username, ...metadata });
  }
  return withdrawn.length;
}

/** `by`: id of the administrator; null for a command. `minutes`: lifetime of a link; omitted if the change is made now. */
type DirectHelp = { kind: HelpKind; by: string | null; minutes?: number };

/**
 * Stores that an administrator helped a person without words or a link of help: removed the last second factor, or gave
 * a password or a link to choose one. It counts as used help of this kind, and withdraws open help. A link counts as used
 * at its end: its use is not stored here. Does nothing for an
 * account that was never used, which has nothing to protect. Locks the roles, like all help; call it in the transaction of
 * the change, before its first write.
 */
export async function storeDirectHelp(
  deps: AuditDeps & { random: Random },
  user: Pick<User, "id" | "username" | "generation">,
  { kind, by, minutes = 0 }: DirectHelp,
): Promise<void> {
  const { store, clock, random } = deps;
  await store.lock("roles");
  if (await isUnusedUser(store, user.id)) return;
  await withdrawOpenHelp(deps, user);
  const at = new Date(clock.now().getTime() + minutes * MINUTE_MS);
  // The hashes belong to no link and no words: they were never issued.
  const hashes = { tokenHash: hashToken(random.token()), wordsHash: hashToken(random.token()) };
  const id = newId(random);
  const fields = { id, userId: user.id, kind, generation: user.generation, createdById: by, createdAt: at };
  await addHelpLink(store, { ...fields, ...hashes, expiresAt: at, usedAt: at });
}

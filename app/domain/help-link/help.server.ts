import { findHelpLink, findHelpLinkOfToken, type HelpLink } from "#app/db/repositories/help-links.server.ts";
import { findUser } from "#app/db/repositories/users.server.ts";
import type { HelpKind, User } from "#app/db/schema.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { allows, mayChange } from "#app/domain/administration/administrator.ts";
import { findRole } from "#app/domain/administration/find.server.ts";
import type { Secrets } from "#app/domain/secret/secrets.server.ts";
import { hashToken, isTokenHash } from "#app/domain/secret/token-hash.server.ts";
import type { Clock, TokenHash } from "#app/ports.ts";

/** Dependencies of finding help. Inside a transaction, pass the transaction's store. */
export type HelpDeps = { store: Store; clock: Clock; secrets: Secrets };

/** Help that can be used, and the user whom it helps. */
export type Help = { id: string; kind: HelpKind; user: User; expiresAt: Date };

/**
 * Returns help with this id that can be used now. Null if it is used, withdrawn or expired; if the user was changed or
 * blocked since; and if the giver was removed or blocked, or may no longer help this user.
 */
export async function findUsableHelp(
  { store, clock }: Pick<HelpDeps, "store" | "clock">,
  id: string,
): Promise<Help | null> {
  const link = await findHelpLink(store, id);
  const user = link && (await findUser(store, link.userId));
  if (!link || !user || !isOpen(link, user, clock.now())) return null;
  if (!(await mayStillHelp(store, link.createdById, user))) return null;
  return { id: link.id, kind: link.kind, user, expiresAt: link.expiresAt };
}

/** Returns true if help is neither used, withdrawn nor expired, and the user is active and unchanged since. */
export function isOpen(
  { generation, usedAt, withdrawnAt, expiresAt }: HelpLink,
  user: Pick<User, "generation" | "status">,
  now: Date,
): boolean {
  const isUnchanged = user.status === "active" && user.generation === generation;
  return isUnchanged && usedAt === null && withdrawnAt === null && expiresAt > now;
}

async function mayStillHelp(store: Store, giverId: string | null, user: User): Promise<boolean> {
  const giver = giverId === null ? null : await findUser(store, giverId);
  const granted = giver?.status === "active" ? await findRole({ store }, giver.id) : null;
  if (!giver || !granted || !allows(granted, "help people")) return false;
  return mayChange({ ...granted, userId: giver.id }, user, await findRole({ store }, user.id));
}

/**
 * Returns the help that a browser may use, by the value of its cookie: the token of the link, or what `bearerOf` made
 * after the right words. Null as `findUsableHelp`.
 */
export async function findHelpOfBearer(deps: HelpDeps, bearer: string): Promise<Help | null> {
  if (isTokenHash(bearer)) {
    const link = await findHelpLinkOfToken(deps.store, hashToken(bearer));
    return link && findUsableHelp(deps, link.id);
  }
  const [id = "", mac = ""] = bearer.split(".", 2);
  return deps.secrets.checkMac("help", id, mac) ? findUsableHelp(deps, id) : null;
}

/** Returns the value with which a browser uses the help whose words were typed in it. A restore invalidates it. */
export function bearerOf({ secrets }: Pick<HelpDeps, "secrets">, { id }: Pick<Help, "id">): string {
  return `${id}.${secrets.mac("help", id)}`;
}

/** Returns the keyed hash of the words of one help: a copy of the database does not suffice to guess them. */
export function hashWords(secrets: Secrets, id: string, folded: string): TokenHash {
  const hash = secrets.mac("help-words", `${id}/${folded}`);
  if (!isTokenHash(hash)) throw new Error("a MAC has 43 characters");
  return hash;
}

/** Returns true if the words are those of the help. Constant time. */
export function checkWords(secrets: Secrets, link: Pick<HelpLink, "id" | "wordsHash">, folded: string): boolean {
  return secrets.checkMac("help-words", `${link.id}/${folded}`, link.wordsHash);
}

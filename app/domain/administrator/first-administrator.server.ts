import type { Config } from "#app/config/config.ts";
import { countFactors } from "#app/db/repositories/factors.server.ts";
import { findOneTimeTokenOfSlot } from "#app/db/repositories/one-time-tokens.server.ts";
import type { User } from "#app/db/schema.server.ts";
import type { Store } from "#app/db/store.server.ts";
import type { AuditDeps } from "#app/domain/audit/record.server.ts";
import { addGroup } from "#app/domain/group/add.server.ts";
import { listGroups } from "#app/domain/group/list.server.ts";
import type { PasswordHasher } from "#app/domain/password/hash.server.ts";
import type { LinkDeps, ResetLink } from "#app/domain/password-reset/link.server.ts";
import { grantRole, listRoles } from "#app/domain/role/grant.server.ts";
import { prepareUser, storeUser } from "#app/domain/user/add.server.ts";
import { getUserByName } from "#app/domain/user/get.server.ts";
import { createPasswordLink } from "#app/domain/user/links.server.ts";
import { listUsers } from "#app/domain/user/show.server.ts";
import type { Clock, Random } from "#app/ports.ts";

/** Name of the group of administrators. Its members need a second factor. */
export const ADMINISTRATORS_GROUP = "administrators";

/** Lifetime of the link with which the first administrator chooses a password: one day. */
export const SETUP_LINK_MINUTES = 24 * 60;

/**
 * State of the administrators. `none`: there is none. `waiting`: none has a password and a second factor;
 * `linkExpiresAt` is the end of the link that this administrator can still use, null without one. `ready`: this
 * administrator can sign in.
 */
export type FirstAdministrator =
  | { kind: "none" }
  | { kind: "waiting"; username: string; linkExpiresAt: Date | null }
  | { kind: "ready"; username: string };

/**
 * Returns the state of the administrators: the users with that role, or, if no user has it, the members of the group that
 * setup used before there were roles. Blocked ones do not count. Of several who cannot sign in, the first by name is returned.
 */
export async function findFirstAdministrator(context: { store: Store; clock: Clock }): Promise<FirstAdministrator> {
  const { store } = context;
  const active = (await listUsers(context)).filter(({ status }) => status === "active");
  const roles = (await listRoles(context)).filter(({ role }) => role === "administrator");
  const withRole = active.filter(({ id }) => roles.some(({ userId }) => userId === id));
  const views = withRole.length > 0 ? withRole : active.filter(isInGroup);
  for (const { id, username, hasPassword } of views) {
    const { totp, securityKeys, passkeys } = await countFactors(store, id);
    if (hasPassword && totp + securityKeys + passkeys > 0) return { kind: "ready", username };
  }
  const [first] = views;
  if (!first) return { kind: "none" };
  const user = await getUserByName(store, first.username);
  return { kind: "waiting", username: user.username, linkExpiresAt: await findLinkExpiry(context, user) };
}

function isInGroup({ group, furtherGroups }: { group: string | null; furtherGroups: readonly string[] }): boolean {
  return [group, ...furtherGroups].includes(ADMINISTRATORS_GROUP);
}

async function findLinkExpiry({ store, clock }: { store: Store; clock: Clock }, user: User): Promise<Date | null> {
  const token = await findOneTimeTokenOfSlot(store, { kind: "password-reset", slot: user.id, now: clock.now() });
  return token?.generation === user.generation ? token.expiresAt : null;
}

/** Dependencies of `addFirstAdministrator`. */
type AddDeps = AuditDeps & { random: Random; hasher: PasswordHasher; config: Pick<Config, "productName"> };

/** Result of `addFirstAdministrator`. `unprotected`: the group exists and does not require a second factor. */
type Added = { kind: "added"; username: string } | { kind: "unprotected" };

/**
 * Adds the first administrator, without a password, with the role, and the group if it does not exist. Throws DomainError as `addUser`;
 * "username not available" also if the user exists outside the group.
 */
export async function addFirstAdministrator(
  context: AddDeps,
  input: { username: string; displayName: string; email: string },
): Promise<Added> {
  const group = (await listGroups(context)).find(({ name }) => name === ADMINISTRATORS_GROUP);
  if (group && !group.requireMfa) return { kind: "unprotected" };
  if (!group) await addGroup(context, { name: ADMINISTRATORS_GROUP, requireMfa: true });
  const prepared = await prepareUser(context, { ...input, groupName: ADMINISTRATORS_GROUP });
  return context.store.tx(async (store) => {
    const deps = { ...context, store };
    const user = await storeUser(deps, prepared);
    await grantRole(deps, user, { role: "administrator", office: null });
    return { kind: "added", username: user.username };
  });
}

/**
 * Issues the link with which the first administrator chooses a password and then signs in to the settings, where the
 * group requires a second factor. Invalidates an older link. Throws DomainError "user not found", "user is blocked".
 */
export async function createSetupLink(context: AuditDeps & LinkDeps, username: string): Promise<ResetLink> {
  return createPasswordLink(context, username, { minutes: SETUP_LINK_MINUTES, opensSettings: true });
}

import type { AccountClaims, Client } from "oidc-provider";
import { listGroupsOfUser } from "#app/db/repositories/group-members.server.ts";
import { findGroup } from "#app/db/repositories/groups.server.ts";
import { findUnseenReset } from "#app/db/repositories/mailed-passwords.server.ts";
import { findUser } from "#app/db/repositories/users.server.ts";
import type { User } from "#app/db/schema.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { SCOPES } from "#app/domain/scope/scopes.ts";
import { type SignInPolicyDeps, satisfiesRules } from "#app/domain/sign-in-policy/sign-in-policy.server.ts";
import { takeRow } from "./request-rows.server.ts";
import { generationOf } from "./session-generation.server.ts";

/** Account model for oidc-provider. `generation` invalidates sessions from before a password change or a block. */
type Account = {
  accountId: string;
  generation: number;
  /** True if a mailed link set the password and a sign-in by a provider has to show that (see `findUnseenReset`). */
  passwordResetUnseen: boolean;
  claims: (use: string, scope: string, claims?: Readonly<Record<string, unknown>>) => Promise<AccountClaims>;
};

/**
 * Claims by scope, as oidc-provider's `claims` option expects them. oidc-provider limits an ID token to the claims of
 * `openid` (OpenID Connect Core 1.0 §5.4), which therefore contains `groups`, so that an application that reads the ID
 * token alone gets the groups. `claimsOf` returns them only if the scope or the claim was granted.
 */
export const CLAIMS_BY_SCOPE: Record<string, string[]> = Object.fromEntries(
  SCOPES.filter((scope) => scope.claims.length > 0).map(({ id, claims }) => [
    id,
    id === "openid" ? [...claims, "groups"] : [...claims],
  ]),
);

/**
 * Finds an active user's account. Returns undefined for other users, if `token`, the session or token in use, has
 * another generation than the user, and for a code or refresh token of a sign-in without the second factor that
 * MFA_POLICY, the client or a group of the user requires now.
 */
export async function findAccount(
  context: SignInPolicyDeps,
  { userId, token, client }: { userId: string; token: object | undefined; client: Client | undefined },
): Promise<Account | undefined> {
  const { store } = context;
  const isMfaRequiredByClient = client?.require_mfa === true;
  const user = takeRow("User", userId) ?? (await findUser(store, userId));
  if (user?.status !== "active") return undefined;
  const generation = token ? generationOf(token) : null;
  if (generation !== null && generation !== user.generation) return undefined;
  const amr = token ? methodsOf(token) : null;
  if (amr !== null && !(await satisfiesRules(context, { ...user, isMfaRequiredByClient }, amr))) return undefined;
  return {
    accountId: user.id,
    generation: user.generation,
    passwordResetUnseen: user.passwordResetUnseen && (await findUnseenReset(store, user.id)) !== null,
    claims: async (_use, scope, claims = {}) => claimsOf(store, user, { scopes: scope.split(" "), claims }),
  };
}

/** Returns the `amr` of a code or refresh token; null for sessions, which the interaction policy checks, and others. */
function methodsOf(token: object): string[] | null {
  const kind = "kind" in token ? token.kind : null;
  if (kind !== "AuthorizationCode" && kind !== "RefreshToken") return null;
  const amr = "amr" in token ? token.amr : null;
  return Array.isArray(amr) ? amr.map(String) : [];
}

/** Granted scopes, and the single claims that the `claims` parameter requests. */
type Requested = { scopes: readonly string[]; claims: Readonly<Record<string, unknown>> };

/**
 * Returns all claims of a user; oidc-provider removes those that were not granted (OpenID Connect Core 1.0 §5.1). Groups
 * are read only if they are requested. `groups` is an empty list for a user without group: applications that synchronise
 * memberships keep the former ones if the claim is absent.
 */
async function claimsOf(store: Store, user: User, requested: Requested): Promise<AccountClaims> {
  const groups = isRequested(requested, "groups") ? await listGroupsOfUser(store, user.id) : null;
  const group = isRequested(requested, "id", "group") && user.groupId ? await findGroup(store, user.groupId) : null;
  return withoutEmpty({
    sub: user.id,
    name: user.displayName,
    given_name: user.givenName,
    family_name: user.familyName,
    preferred_username: user.username,
    picture: user.picture,
    locale: user.locale,
    updated_at: Math.floor(user.updatedAt.getTime() / 1000),
    email: user.email,
    email_verified: user.email ? user.emailVerified : null,
    phone_number: user.phone,
    phone_number_verified: user.phone ? false : null,
    address: user.address,
    user_id: user.id,
    group: group?.name ?? null,
    groups: groups?.map(({ name }) => name) ?? null,
    permissions: user.permissions,
  });
}

function isRequested({ scopes, claims }: Requested, scope: string, claim = scope): boolean {
  return scopes.includes(scope) || Object.hasOwn(claims, claim);
}

function withoutEmpty(claims: { sub: string } & Record<string, unknown>): AccountClaims {
  const filled = Object.entries(claims).filter(([, value]) => value !== null && value !== undefined);
  return { ...Object.fromEntries(filled), sub: claims.sub };
}

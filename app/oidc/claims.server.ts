import type { AccountClaims, Client } from "oidc-provider";
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
  claims: (use: string, scope: string) => Promise<AccountClaims>;
};

/** Claims by scope, as oidc-provider's `claims` option expects them. */
export const CLAIMS_BY_SCOPE: Record<string, string[]> = Object.fromEntries(
  SCOPES.filter((scope) => scope.claims.length > 0).map((scope) => [scope.id, [...scope.claims]]),
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
    claims: async (_use, scope) => claimsOf(store, user, scope.split(" ")),
  };
}

/** Returns the `amr` of a code or refresh token; null for sessions, which the interaction policy checks, and others. */
function methodsOf(token: object): string[] | null {
  const kind = "kind" in token ? token.kind : null;
  if (kind !== "AuthorizationCode" && kind !== "RefreshToken") return null;
  const amr = "amr" in token ? token.amr : null;
  return Array.isArray(amr) ? amr.map(String) : [];
}

/** Returns all claims of a user; oidc-provider removes those that were not granted (OpenID Connect Core 1.0 §5.1). */
async function claimsOf(store: Store, user: User, scopes: string[]): Promise<AccountClaims> {
  const group = scopes.includes("id") && user.groupId ? await findGroup(store, user.groupId) : null;
  return withoutEmpty({
    sub: user.id,
    name: user.displayName,
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
    permissions: user.permissions,
  });
}

function withoutEmpty(claims: { sub: string } & Record<string, unknown>): AccountClaims {
  const filled = Object.entries(claims).filter(([, value]) => value !== null && value !== undefined);
  return { ...Object.fromEntries(filled), sub: claims.sub };
}

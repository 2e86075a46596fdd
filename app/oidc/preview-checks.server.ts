import type { Config } from "#app/config/config.ts";
import { listGroupsOfClient, mayUse } from "#app/db/repositories/client-access.server.ts";
import { findExternalAccountsOfUser } from "#app/db/repositories/external-accounts.server.ts";
import { listGroupsOfUser } from "#app/db/repositories/group-members.server.ts";
import type { Client, User } from "#app/db/schema.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { isNativeClient } from "#app/domain/client/redirect-uri.ts";
import { findRememberedConsent } from "#app/domain/consent/remembered.server.ts";
import { acrOf, withFactors } from "#app/domain/engine-session/subject.server.ts";
import {
  canGiveFactor,
  countKeys,
  type Factors,
  findFactors,
  hasFactor,
  withPasskeys,
} from "#app/domain/factor/factors.server.ts";
import { findScope, refusedScopes } from "#app/domain/scope/scopes.ts";
import { checkSignInPolicy } from "#app/domain/sign-in-policy/sign-in-policy.server.ts";
import type { Clock } from "#app/ports.ts";
import { covers } from "./grants.server.ts";

/** Dependencies of the checks. */
export type CheckDeps = { store: Store; config: Config; clock: Clock };

/** A user, a client, and the scopes that the client requests. */
export type CheckedSignIn = { user: User; client: Client; scopes: readonly string[] };

/** A reason for which a user cannot sign in to a client. */
export type Refusal =
  /** A resource server without redirect URI signs no users in. */
  | { reason: "no-redirect-uri" }
  | { reason: "blocked" }
  /** The user has neither a password nor an account at a configured provider. */
  | { reason: "no-sign-in-method" }
  /** `groups`: those whose members may use the client. */
  | { reason: "no-access"; groups: string[] }
  | { reason: "scopes-unknown"; scopes: string[] }
  | { reason: "scopes-not-registered"; scopes: string[] };

/** Returns why the sign-in would be refused, every reason; none if it would succeed. */
export async function findRefusals(context: CheckDeps, { user, client, scopes }: CheckedSignIn): Promise<Refusal[]> {
  const refused = refusedScopes(scopes, client.scopes);
  const unknown = refused.filter((id) => findScope(id) === null);
  const notRegistered = refused.filter((id) => findScope(id) !== null);
  const isAllowed = await mayUse(context.store, { clientId: client.id, userId: user.id });
  const groups = isAllowed ? [] : await listGroupsOfClient(context.store, client.id);
  const refusals: (Refusal | null)[] = [
    client.redirectUris.length > 0 ? null : { reason: "no-redirect-uri" },
    user.status === "active" ? null : { reason: "blocked" },
    (await findFirstMethod(context, user)) === null ? { reason: "no-sign-in-method" } : null,
    isAllowed ? null : { reason: "no-access", groups: groups.map(({ name }) => name) },
    unknown.length === 0 ? null : { reason: "scopes-unknown", scopes: unknown },
    notRegistered.length === 0 ? null : { reason: "scopes-not-registered", scopes: notRegistered },
  ];
  return refusals.filter((refusal) => refusal !== null);
}

/** Returns the `amr` of the user's first step; null if there is no way to sign in. */
async function findFirstMethod({ store, config }: CheckDeps, user: User): Promise<"pwd" | "fed" | null> {
  if (user.passwordHash !== null) return "pwd";
  const accounts = await findExternalAccountsOfUser(store, user.id);
  return accounts.some(({ provider }) => config[provider] !== null) ? "fed" : null;
}

/** A rule that requires a second factor. `own`: the user has one, which is asked for at every sign-in. */
type FactorRule = { rule: "own" } | { rule: "MFA_POLICY" } | { rule: "group"; name: string } | { rule: "application" };

/** The second step of a sign-in. Without `isSetUp`, the user sets up a factor in it. */
export type SecondFactor = { requiredBy: FactorRule[]; isSetUp: boolean };

/** The steps of a sign-in: the second factor, if one is required, and the resulting `amr` and `acr`. */
export type SignInSteps = { secondFactor: SecondFactor | null; amr: string[]; acr: string };

/**
 * Returns the steps of a sign-in with password, or else with a provider, on a device that is not remembered. The second
 * factor is the user's default, or an authenticator app.
 */
export async function findSteps(context: CheckDeps, { user, client }: CheckedSignIn): Promise<SignInSteps> {
  const first = [(await findFirstMethod(context, user)) ?? "pwd"];
  const input = { userId: user.id, amr: first, demandsMfa: client.requireMfa };
  const result = await checkSignInPolicy(context, input);
  if (result.kind !== "second-factor-required") return { secondFactor: null, amr: first, acr: acrOf(first) };
  const factors = await findFactors(context.store, user.id);
  const amr = withFactors(first, [usualFactor(user, withPasskeys(factors, context.config.passkeys))]);
  const requiredBy = await findFactorRules(context, { user, client, factors });
  return { secondFactor: { requiredBy, isSetUp: canGiveFactor(factors, context.config) }, amr, acr: acrOf(amr) };
}

function usualFactor({ defaultFactor }: User, factors: Factors): "otp" | "hwk" {
  return countKeys(factors) > 0 && (!factors.totp || defaultFactor === "fido2") ? "hwk" : "otp";
}

async function findFactorRules(
  { store, config }: CheckDeps,
  { user, client, factors }: { user: User; client: Client; factors: Factors },
): Promise<FactorRule[]> {
  const groups = await listGroupsOfUser(store, user.id);
  return [
    ...(hasFactor(factors) ? [{ rule: "own" as const }] : []),
    ...(config.mfaPolicy === "required" ? [{ rule: "MFA_POLICY" as const }] : []),
    ...groups.filter(({ requireMfa }) => requireMfa).map(({ name }) => ({ rule: "group" as const, name })),
    ...(client.requireMfa ? [{ rule: "application" as const }] : []),
  ];
}

/** The result of the check for consent: the page is shown or not, and the reason. */
export type ConsentStep =
  | { kind: "not-asked"; because: "first-party" | "remembered" }
  /** `each-time`: of a native application, or for `offline_access`, which needs prompt=consent. */
  | { kind: "asked"; because: "not-given" | "each-time" };

/** Returns if the user is asked for consent. A request for `offline_access` is assumed to have prompt=consent. */
export async function findConsentStep(
  context: CheckDeps,
  { user, client, scopes }: CheckedSignIn,
): Promise<ConsentStep> {
  const isNative = isNativeClient(client) && !client.firstParty;
  if (isNative || scopes.includes("offline_access")) return { kind: "asked", because: "each-time" };
  if (client.firstParty) return { kind: "not-asked", because: "first-party" };
  const remembered = await findRememberedConsent(context, user.id, client.id);
  const isCovered = remembered !== null && covers(remembered, { scopes: [...scopes], claims: [] });
  return isCovered ? { kind: "not-asked", because: "remembered" } : { kind: "asked", because: "not-given" };
}

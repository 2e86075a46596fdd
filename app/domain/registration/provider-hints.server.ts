import type { Store } from "#app/db/store.server.ts";
import { pickHints, type RegistrationHint } from "#app/domain/client/hints.ts";
import type { ExternalClaims, ExternalIdentity } from "#app/domain/external-account/identity.ts";
import { findOutcome } from "#app/domain/external-account/outcome.server.ts";
import type { Clock } from "#app/ports.ts";

/**
 * Hints for a registration, in the order in which the client declares them. `verified`: keys of the hints that a
 * provider has verified; `identity`: the external identity, null if the user did not sign in at a provider.
 */
type HintsWithSource = { hints: RegistrationHint[]; verified: string[]; identity: ExternalIdentity | null };

type Input = { uid: string; browser: string; hints: RegistrationHint[]; regHints: readonly string[] };

/**
 * Returns the hints of a request, and after an external sign-in without an account also the provider's claims, which
 * take precedence. `hints`: from the request; `regHints`: keys that the client declares.
 */
export async function findHints(
  { store, clock }: { store: Store; clock: Clock },
  { uid, browser, hints, regHints }: Input,
): Promise<HintsWithSource> {
  const outcome = await findOutcome({ store, clock }, { uid, browser });
  if (outcome?.kind !== "unknown") return { hints, verified: [], identity: null };
  const { claims, identity } = outcome;
  const claimValues = valuesOf(claims);
  const requestValues = new Map(hints.map(({ key, value }) => [key, value]));
  const picked = pickHints(regHints, (key) => claimValues.get(key) ?? requestValues.get(key));
  const verified = claims.emailVerified && picked.some(({ key }) => key === "email") ? ["email"] : [];
  return { hints: picked, verified, identity };
}

/** Keys are the claim names of OpenID Connect Core 1.0 §5.1. */
function valuesOf(claims: ExternalClaims): ReadonlyMap<string, string | null> {
  return new Map([
    ["email", claims.email],
    ["name", claims.name],
    ["given_name", claims.givenName],
    ["family_name", claims.familyName],
  ]);
}

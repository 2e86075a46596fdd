import type { Store } from "#app/db/store.server.ts";
import { pickHints, type RegistrationHint } from "#app/domain/registration/hints.ts";
import type { Clock } from "#app/ports.ts";
import type { ExternalClaims, ExternalIdentity } from "./identity.ts";
import { findOutcome } from "./outcome.server.ts";

/**
 * What is known of a person who may register: hints in the order in which the client declares them; `verified`: keys of
 * those that a provider vouches for; `identity`: who they are at the provider, if they come from one.
 */
export type KnownHints = { hints: RegistrationHint[]; verified: string[]; identity: ExternalIdentity | null };

type Input = { uid: string; browser: string; hints: RegistrationHint[]; regHints: readonly string[] };

/**
 * The hints of a request, and, after a sign-in at a provider that opened no account, what the provider said: it comes
 * first, because it is about the very person. `hints` are those of the request, `regHints` the keys its client declares.
 */
export async function findHints(
  { store, clock }: { store: Store; clock: Clock },
  { uid, browser, hints, regHints }: Input,
): Promise<KnownHints> {
  const outcome = await findOutcome({ store, clock }, { uid, browser });
  if (outcome?.kind !== "unknown") return { hints, verified: [], identity: null };
  const { claims, identity } = outcome;
  const said = valuesOf(claims);
  const sent = new Map(hints.map(({ key, value }) => [key, value]));
  const picked = pickHints(regHints, (key) => said.get(key) ?? sent.get(key));
  const verified = claims.emailVerified && picked.some(({ key }) => key === "email") ? ["email"] : [];
  return { hints: picked, verified, identity };
}

/** By the names of OpenID Connect Core 1.0 section 5.1. */
function valuesOf(claims: ExternalClaims): ReadonlyMap<string, string | null> {
  return new Map([
    ["email", claims.email],
    ["name", claims.name],
    ["given_name", claims.givenName],
    ["family_name", claims.familyName],
  ]);
}

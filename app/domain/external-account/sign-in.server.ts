import { findAccountsOfIdentity } from "#app/db/repositories/external-accounts.server.ts";
import { recordEvent } from "#app/domain/audit/record.server.ts";
import type { ExternalClaims, ExternalIdentity } from "./identity.ts";
import { type ExternalOutcome, storeOutcome } from "./outcome.server.ts";
import {
  type ExternalProof,
  type ExternalSignIn,
  type ExternalSignInDeps,
  type ExternalSignInInput,
  signInToAccount,
} from "./sign-in-to-account.server.ts";

/** Result of `signInWithIdentity`. */
export type IdentifiedSignIn =
  | Exclude<ExternalSignIn, { kind: "not recent" }>
  /** The user is not signed in yet; the outcome is stored for the page that shows it. */
  | { kind: "shown" };

/**
 * Signs in the user of an external identity. Accounts are found by (provider, issuer, subject) only. With no or
 * several accounts, the outcome is stored for the page.
 */
export async function signInWithIdentity(
  context: ExternalSignInDeps,
  input: ExternalSignInInput & { identity: ExternalIdentity; claims: ExternalClaims; proof: ExternalProof },
): Promise<IdentifiedSignIn> {
  const { identity, claims, proof, uid, browser } = input;
  const { provider } = identity;
  const accounts = await findAccountsOfIdentity(context.store, identity);
  const [account] = accounts;
  if (!account) {
    await storeOutcome(context, { uid, browser }, { kind: "unknown", provider, identity, claims });
    await recordRefusal(context, input, `${provider}: no account`);
    return { kind: "shown" };
  }
  if (accounts.length > 1) {
    const userIds = accounts.map(({ userId }) => userId);
    await storeOutcome(context, { uid, browser }, { kind: "choose", provider, identity, userIds, proof });
    return { kind: "shown" };
  }
  const result = await signInToAccount(context, { ...input, userId: account.userId });
  if (result.kind === "not recent") {
    await storeNotRecent(context, input, { provider, ...result });
    return { kind: "shown" };
  }
  if (result.kind !== "refused") return result;
  await storeOutcome(context, { uid, browser }, { kind: "refused", provider });
  return { kind: "shown" };
}

/** Stores and records the outcome "not recent": the sign-in at the provider is too old. */
export async function storeNotRecent(
  context: ExternalSignInDeps,
  input: ExternalSignInInput,
  outcome: Extract<ExternalOutcome, { kind: "not recent" }>,
): Promise<void> {
  const { uid, browser } = input;
  await storeOutcome(context, { uid, browser }, outcome);
  await recordRefusal(context, input, `${outcome.provider}: not recent`);
}

/** Stores and records that the external sign-in failed or was cancelled. `reason`: a fixed word for the log. */
export async function storeExternalFailure(
  context: ExternalSignInDeps,
  input: ExternalSignInInput & { provider: ExternalIdentity["provider"]; kind: "failed" | "cancelled"; reason: string },
): Promise<void> {
  const { uid, browser, kind, provider, reason } = input;
  await storeOutcome(context, { uid, browser }, { kind, provider });
  await recordRefusal(context, input, `${provider}: ${reason}`);
}

async function recordRefusal(context: ExternalSignInDeps, input: ExternalSignInInput, reason: string): Promise<void> {
  const { address, userAgent, requestId, clientId } = input;
  const metadata = { address, userAgent, requestId, clientId };
  await recordEvent(context, { type: "provider.refused", outcome: "refused", reason, ...metadata });
}

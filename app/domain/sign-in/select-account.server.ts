import { findAccountsOfIdentity, type LinkedAccount } from "#app/db/repositories/external-accounts.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { type ExternalOutcome, readOutcomeToken } from "#app/domain/external-account/outcome.server.ts";
import { hashToken } from "#app/domain/secret/token-hash.server.ts";
import {
  type ExternalSignIn,
  type ExternalSignInDeps,
  type ExternalSignInInput,
  signInToAccount,
  storeNotRecent,
} from "./with-provider.server.ts";

/** An account of the selection page; a blocked one is shown, but cannot be chosen. */
type SelectableAccount = {
  id: string;
  name: string;
  username: string;
  groupName: string | null;
  isBlocked: boolean;
  /** True for the account that this identity last signed in to. */
  isLastUsed: boolean;
};

type Choice = Extract<ExternalOutcome, { kind: "choose" }>;

/** Lists the accounts of a choice: the last used one first, the others by group and name, collated for `language`. */
export async function listSelectable(
  { store }: { store: Store },
  { choice, language }: { choice: Choice; language: string },
): Promise<SelectableAccount[]> {
  const found = await findAccountsOfIdentity(store, choice.identity);
  const accounts = found.filter(({ userId }) => choice.userIds.includes(userId));
  const last = lastUsed(accounts);
  const { compare } = new Intl.Collator(language, { numeric: true });
  return accounts
    .toSorted(
      (a, b) =>
        Number(b === last) - Number(a === last) ||
        compare(a.groupName ?? "", b.groupName ?? "") ||
        compare(a.displayName, b.displayName),
    )
    .map((account) => ({
      id: account.userId,
      name: account.displayName,
      username: account.username,
      groupName: account.groupName,
      isBlocked: account.status !== "active",
      isLastUsed: account === last,
    }));
}

function lastUsed(accounts: LinkedAccount[]): LinkedAccount | null {
  const used = accounts.flatMap((account) =>
    account.lastUsedAt ? [{ account, at: account.lastUsedAt.getTime() }] : [],
  );
  return used.toSorted((a, b) => b.at - a.at)[0]?.account ?? null;
}

/** Result of `chooseAccount`. */
type ChooseResult =
  | ExternalSignIn
  /** The token is used, expired, or belongs to another outcome. */
  | { kind: "expired" };

/**
 * Signs in to the chosen account, which must be in the token's list and still be connected. Only a success consumes the
 * token.
 */
export async function chooseAccount(
  context: ExternalSignInDeps,
  input: ExternalSignInInput & { provider: Choice["provider"]; token: string; userId: string },
): Promise<ChooseResult> {
  const { uid, browser, token, provider, userId } = input;
  const outcome = await readOutcomeToken(context, { uid, browser, token });
  if (outcome?.kind !== "choose" || outcome.provider !== provider) return { kind: "expired" };
  if (!outcome.userIds.includes(userId)) return { kind: "refused" };
  const { identity, proof } = outcome;
  const result = await signInToAccount(context, { ...input, identity, proof, selection: hashToken(token) });
  if (result.kind === "not recent") await storeNotRecent(context, input, { provider, ...result });
  return result;
}

import type { BaseContext } from "#app/context.server.ts";
import {
  addExternalAccount,
  findExternalAccountsOfUser,
  removeExternalAccount,
} from "#app/db/repositories/external-accounts.server.ts";
import { findUserByUsername } from "#app/db/repositories/users.server.ts";
import { newId } from "#app/domain/new-id.server.ts";
import { FAKE_PROVIDER_CONNECTIONS, FAKE_PROVIDER_USERS } from "#demo/fake-provider/users.ts";

/** Connects the demo's people with their accounts at the stand-ins; anew where these have another address by now. */
export async function ensureDemoConnections(
  { store, random, clock }: BaseContext,
  issuers: Readonly<Record<keyof typeof FAKE_PROVIDER_USERS, string>>,
): Promise<void> {
  for (const { provider, sub: subject, username } of FAKE_PROVIDER_CONNECTIONS) {
    const user = await findUserByUsername(store, username);
    if (!user) continue;
    const issuer = issuers[provider];
    const connected = await findExternalAccountsOfUser(store, user.id);
    const own = connected.find((account) => account.provider === provider);
    if (own?.issuer === issuer) continue;
    if (own) await removeExternalAccount(store, user.id, provider);
    const name = FAKE_PROVIDER_USERS[provider].find((person) => person.sub === subject)?.email ?? null;
    const account = { id: newId(random), userId: user.id, provider, issuer, subject, name };
    await addExternalAccount(store, { ...account, groupKey: user.groupId ?? "", linkedAt: clock.now() });
  }
}

import { mapProviders, type Provider } from "#app/config/providers.ts";
import { findExternalAccountsOfUser } from "#app/db/repositories/external-accounts.server.ts";
import type { User } from "#app/db/schema.server.ts";
import type { Store } from "#app/db/store.server.ts";
import type { SettingsAccess } from "#app/domain/access/access.ts";
import { findSettingsUser } from "#app/domain/access/grant.server.ts";
import { type Factors, findFactors, hasFactor } from "#app/domain/factor/factors.server.ts";

/** The user in the settings, and the return URL of the client that opened them. */
export type UserInfo = {
  userId: string;
  username: string;
  displayName: string;
  picture: string | null;
  locale: string | null;
  /** True if the user has an e-mail address. */
  hasMail: boolean;
  returnToUrl: string | null;
};

/**
 * Data of the settings' first page. `passwordSetAt`: null without a password. `isProtected`: a second factor is set up.
 * `accounts`: by provider, null if none is connected.
 */
export type Overview = UserInfo & {
  email: string | null;
  emailVerified: boolean;
  phone: string | null;
  hasPassword: boolean;
  passwordSetAt: Date | null;
  /** A mailed link set the password, and the user has not acknowledged it. */
  passwordResetUnseen: boolean;
  factors: Factors;
  isProtected: boolean;
  accounts: Record<Provider, { id: string; name: string | null } | null>;
};

type OverviewDeps = { store: Store };

/** Returns the user in the settings, by one statement; null if the access ended meanwhile. */
export async function findUserInfo({ store }: OverviewDeps, access: SettingsAccess): Promise<UserInfo | null> {
  const user = await findSettingsUser(store, access);
  return user && userInfo(user, access);
}

/** Returns the data of the first page, by three statements; null if the access ended meanwhile. */
export async function findOverview({ store }: OverviewDeps, access: SettingsAccess): Promise<Overview | null> {
  const user = await findSettingsUser(store, access);
  if (!user) return null;
  const factors = await findFactors(store, user.id);
  const connected = await findExternalAccountsOfUser(store, user.id);
  const accountOf = (wanted: Provider) => {
    const account = connected.find(({ provider }) => provider === wanted);
    return account ? { id: account.id, name: account.name } : null;
  };
  return {
    ...userInfo(user, access),
    email: user.email,
    emailVerified: user.emailVerified,
    phone: user.phone,
    hasPassword: user.passwordHash !== null,
    passwordSetAt: user.passwordSetAt,
    passwordResetUnseen: user.passwordResetUnseen,
    factors,
    isProtected: hasFactor(factors),
    accounts: mapProviders(accountOf),
  };
}

function userInfo(user: User, { returnToUrl }: SettingsAccess): UserInfo {
  const { id: userId, username, displayName, picture, locale, email } = user;
  return { userId, username, displayName, picture, locale, hasMail: Boolean(email), returnToUrl };
}

import type { Address, Group, User, UserStatus } from "#app/db/schema.server.ts";

/** A user as shown to administrators, without hashes and secrets. */
export type UserView = {
  id: string;
  username: string;
  displayName: string;
  givenName: string | null;
  familyName: string | null;
  email: string | null;
  emailVerified: boolean;
  phone: string | null;
  picture: string | null;
  address: Address | null;
  /** The home group. */
  group: string | null;
  furtherGroups: string[];
  permissions: string[];
  locale: string | null;
  status: UserStatus;
  /** Last day of access, as YYYY-MM-DD in TIME_ZONE. */
  lastDay: string | null;
  hasPassword: boolean;
  passwordSetAt: Date | null;
  createdAt: Date;
};

/** Creates the view of a user. `group` is the user's home group. */
export function userView(
  user: User,
  { group, furtherGroups }: { group: Group | null; furtherGroups: readonly Group[] },
): UserView {
  const {
    id,
    username,
    displayName,
    givenName,
    familyName,
    email,
    emailVerified,
    phone,
    permissions,
    locale,
    status,
    lastDay,
    passwordSetAt,
    createdAt,
  } = user;
  const { picture, address } = user;
  const hasPassword = user.passwordHash !== null;
  const groupName = group?.name ?? null;
  return {
    id,
    username,
    displayName,
    givenName,
    familyName,
    email,
    emailVerified,
    phone,
    picture,
    address,
    group: groupName,
    furtherGroups: furtherGroups.map(({ name }) => name),
    permissions,
    locale,
    status,
    lastDay,
    hasPassword,
    passwordSetAt,
    createdAt,
  };
}

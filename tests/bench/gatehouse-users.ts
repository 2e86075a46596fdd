import { pino } from "pino";
import { readConfig } from "#app/config/read.server.ts";
import { type BaseContext, createBaseContext } from "#app/context.server.ts";
import { createTotpCredential } from "#app/db/repositories/totp-credentials.server.ts";
import { findUserByUsername } from "#app/db/repositories/users.server.ts";
import { newSecret } from "#app/domain/totp/set-up.server.ts";
import { NEVER_USED } from "#app/domain/totp/verify.server.ts";
import { addUser, type NewUserInput } from "#app/domain/user/add.server.ts";
import { blockUser } from "#app/domain/user/block.server.ts";
import type { UserView } from "#app/domain/user/view.server.ts";
import { takeIntoService } from "#app/restore/take-into-service.server.ts";
import { givePasskey, type TestKey } from "#tests/support/factors.ts";

const USERS = 63;
const FACTOR_USERS = 180;
const PASSKEY_USERS = 63;

/** Each user gets at most five mails with a link per hour; the long run sends 840 requests. */
const MAIL_USERS = 168;

const BLOCKED_USERNAME = "blocked";

/** User names of the benchmark's installation. */
export type Users = {
  /** Users without an e-mail address. */
  usernames: readonly string[];
  /** Users with an authenticator app; all apps have the same secret. */
  factorUsernames: readonly string[];
  secretBase32: string;
  /** Users with a password and a passkey. */
  passkeyUsers: readonly PasskeyUser[];
  /** Users with an e-mail address and without a password. */
  mailUsernames: readonly string[];
  /** A blocked user with an e-mail address. */
  blockedUsername: string;
  /** Password hash of the first user, created by the built program. */
  storedHash: string;
};

/** A user, and the authenticator that contains the passkey. */
export type PasskeyUser = { id: string; username: string; key: TestKey };

/** Creates all users but the first in one process; commands would take minutes. */
export async function addUsers(
  env: NodeJS.ProcessEnv,
  { first, password }: { first: string; password: string },
): Promise<Users> {
  const read = readConfig(env);
  if (!read.ok) throw new Error(`invalid configuration of the benchmark: ${JSON.stringify(read.mistakes)}`);
  const context = await createBaseContext({
    config: read.config,
    log: pino({ level: "silent" }),
    epochOf: takeIntoService,
  });
  try {
    // Without an e-mail address: each sign-in comes from a new browser and would send a mail.
    const plain = await addNumbered(context, "person", USERS, { password });
    const careful = await addNumbered(context, "careful", FACTOR_USERS, { password });
    const secretBase32 = newSecret(context.random);
    for (const { id: userId } of careful) await addApp(context, userId, secretBase32);
    const touching = await addNumbered(context, "touching", PASSKEY_USERS, { password });
    const passkeyUsers: PasskeyUser[] = [];
    for (const { id, username } of touching) {
      const key = await givePasskey({ context, url: context.config.issuer }, { id });
      passkeyUsers.push({ id, username, key });
    }
    const email = "somebody@office.example";
    const mailed = await addNumbered(context, "mailed", MAIL_USERS, { email });
    await addUser(context, { username: BLOCKED_USERNAME, displayName: "Blocked Person", email });
    await blockUser(context, BLOCKED_USERNAME);
    return {
      usernames: namesOf(plain),
      factorUsernames: namesOf(careful),
      secretBase32,
      passkeyUsers,
      mailUsernames: namesOf(mailed),
      blockedUsername: BLOCKED_USERNAME,
      storedHash: (await findUserByUsername(context.store, first))?.passwordHash ?? "",
    };
  } finally {
    await context.store.close();
  }
}

async function addNumbered(
  context: BaseContext,
  kind: string,
  count: number,
  fields: Pick<NewUserInput, "password" | "email">,
): Promise<UserView[]> {
  const users: UserView[] = [];
  for (let number = 1; number <= count; number += 1) {
    const username = `${kind}-${number}`;
    users.push(await addUser(context, { username, displayName: `Person ${username}`, ...fields }));
  }
  return users;
}

function namesOf(users: readonly UserView[]): string[] {
  return users.map(({ username }) => username);
}

async function addApp({ store, secrets }: BaseContext, userId: string, secretBase32: string): Promise<void> {
  const sealedSecret = await secrets.seal("totp", secretBase32);
  await createTotpCredential(store, { userId, sealedSecret, lastStep: NEVER_USED, createdAt: new Date() });
}

import type { Logger } from "pino";
import type { Config } from "#app/config.server.ts";
import type { Clock } from "#app/context.server.ts";
import { setUserPassword as storePassword } from "#app/db/repositories/users.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { recordEvent } from "#app/domain/audit/record.server.ts";
import type { PasswordHasher } from "#app/domain/password/hash.server.ts";
import { requirePassword } from "#app/domain/password/require.server.ts";
import { endSessions } from "#app/domain/session/end-sessions.server.ts";
import { forgetAccountFailures } from "#app/domain/sign-in/throttle.server.ts";
import { getUserByName } from "./get.server.ts";

/**
 * Sets a user's password on behalf of an administrator and ends all sessions and tokens of the user. Failures counted
 * against the old password are forgotten. Throws DomainError "user not found", "empty-password", "password-strength",
 * "password-common".
 */
export async function setUserPassword(
  context: {
    store: Store;
    clock: Clock;
    hasher: PasswordHasher;
    log: Logger;
    config: Pick<Config, "productName">;
  },
  username: string,
  password: string,
): Promise<void> {
  const user = await getUserByName(context.store, username);
  const hash = await context.hasher.hash(await requirePassword(context, password, user));
  await context.store.tx(async (tx) => {
    await storePassword(tx, user.id, { hash, how: "cli", at: context.clock.now() });
    await forgetAccountFailures({ store: tx, clock: context.clock }, user.username);
    await endSessions({ store: tx }, user.id);
    await recordEvent({ ...context, store: tx }, { type: "user.password-set", outcome: "ok", userId: user.id });
  });
}

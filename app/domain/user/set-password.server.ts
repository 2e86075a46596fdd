import type { Logger } from "pino";
import { removeKnownBrowsers } from "#app/db/repositories/known-browsers.server.ts";
import { setUserPassword as storePassword } from "#app/db/repositories/users.server.ts";
import { recordEvent } from "#app/domain/audit/record.server.ts";
import { storeDirectHelp } from "#app/domain/help-kind/one-kind.server.ts";
import { type MailDeps, queueMail } from "#app/domain/mail/queue.server.ts";
import type { PasswordHasher } from "#app/domain/password/hash.server.ts";
import { requirePassword } from "#app/domain/password/require.server.ts";
import { clearAccountFailures } from "#app/domain/password/throttle.server.ts";
import { endSessions } from "#app/domain/session/end-access.server.ts";
import { getUserByName } from "./get.server.ts";

/**
 * Sets a user's password on behalf of an administrator, ends all sessions and tokens of the user, deletes the known
 * browsers, and notifies the user by mail. Removes the failures counted against the old password. Counts as help for a new
 * password.
 * Throws DomainError "user not found", "empty-password", "password-strength", "password-common".
 */
export async function setUserPassword(
  context: MailDeps & { hasher: PasswordHasher; log: Logger },
  username: string,
  password: string,
): Promise<void> {
  const user = await getUserByName(context.store, username);
  const hash = await context.hasher.hash(await requirePassword(context, password, user));
  await context.store.tx(async (tx) => {
    await storeDirectHelp({ ...context, store: tx }, user, { kind: "new-password", by: null });
    await storePassword(tx, user.id, { hash, how: "cli", at: context.clock.now() });
    await clearAccountFailures({ ...context, store: tx }, user);
    await removeKnownBrowsers(tx, user.id);
    await endSessions({ ...context, store: tx }, user.id);
    await queueMail({ ...context, store: tx }, { to: user, template: { name: "password-changed" } });
    await recordEvent({ ...context, store: tx }, { type: "user.password-set", outcome: "ok", userId: user.id });
  });
}

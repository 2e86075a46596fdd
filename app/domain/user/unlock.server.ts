import { listBrowserHashes } from "#app/db/repositories/known-browsers.server.ts";
import type { User } from "#app/db/schema.server.ts";
import { type AuditDeps, recordEvent } from "#app/domain/audit/record.server.ts";
import {
  clearAccountFailures,
  clearBrowserFailures,
  SETTINGS_BROWSER,
  type ThrottleDeps,
} from "#app/domain/password/throttle.server.ts";
import { clearFactorAttempts } from "#app/domain/pending-sign-in/attempts.server.ts";
import { getUserByName } from "./get.server.ts";

/**
 * Removes the failed attempts (passwords and codes) counted for a user. Those counted for an address stay, because they
 * may be an attacker's. A blocked user stays blocked. Throws DomainError "user not found".
 */
export async function unlockUser(context: AuditDeps & ThrottleDeps, username: string): Promise<{ id: string }> {
  return context.store.tx(async (tx) => {
    const deps = { ...context, store: tx };
    const user = await getUserByName(tx, username);
    await clearFailures(deps, user);
    const { id: userId, username: name } = user;
    await recordEvent(deps, { type: "user.unlocked", outcome: "ok", userId, username: name });
    return { id: userId };
  });
}

/** Removes the failures counted for a user: in known and unknown browsers, and in the settings. */
export async function clearFailures(deps: ThrottleDeps, user: User): Promise<void> {
  const { id } = user;
  const hashes = await listBrowserHashes(deps.store, id);
  await clearAccountFailures(deps, user);
  await clearBrowserFailures(
    deps,
    [...hashes, SETTINGS_BROWSER].map((browserHash) => ({ userId: id, browserHash })),
  );
  await clearFactorAttempts(deps, id);
}

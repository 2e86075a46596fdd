import { putRememberedDevice } from "#app/db/repositories/remembered-devices.server.ts";
import { newId } from "#app/domain/base/new-id.server.ts";
import { USER_AGENT_LENGTH } from "#app/domain/engine-session/engine-session.server.ts";
import { findUserAndFactors } from "#app/domain/factor/factors.server.ts";
import type { PendingSignIn } from "#app/domain/pending-sign-in/pending.server.ts";
import { hashToken } from "#app/domain/secret/token-hash.server.ts";
import { acceptsRememberedDevice, type SignInPolicyDeps } from "#app/domain/sign-in-policy/sign-in-policy.server.ts";
import { DAY_SECONDS } from "#app/durations.ts";
import type { Random, RequestMetadata } from "#app/ports.ts";
import type { DeviceDeps } from "./check.server.ts";

/** The cookie of a device that was just stored. */
export type StoredDevice = { token: string; maxAgeSeconds: number };

/**
 * Returns true if the browser of a pending sign-in may be remembered: the sign-in policy would accept it, and the user
 * has an existing factor at hand, which neither a recovery code nor a set-up shows.
 */
export async function mayRememberDevice(
  context: SignInPolicyDeps,
  { userId, setUp, byRecoveryCode }: Pick<PendingSignIn, "userId" | "setUp" | "byRecoveryCode">,
): Promise<boolean> {
  if (setUp || byRecoveryCode || context.config.mfaRememberDays === 0) return false;
  const found = await findUserAndFactors(context.store, userId);
  return found !== null && acceptsRememberedDevice(context, found);
}

/**
 * Remembers a browser for a user in this generation, for MFA_REMEMBER_DAYS. A new token replaces an earlier one of the
 * same user and browser; only its hash is stored.
 */
export async function rememberDevice(
  { store, clock, random, config }: DeviceDeps & { random: Random },
  {
    userId,
    generation,
    browser,
    userAgent,
  }: Pick<RequestMetadata, "browser" | "userAgent"> & { userId: string; generation: number },
): Promise<StoredDevice> {
  const token = random.token();
  const createdAt = clock.now();
  const maxAgeSeconds = config.mfaRememberDays * DAY_SECONDS;
  await putRememberedDevice(store, {
    id: newId(random),
    userId,
    generation,
    browserHash: hashToken(browser),
    tokenHash: hashToken(token),
    userAgent: userAgent.slice(0, USER_AGENT_LENGTH),
    createdAt,
    expiresAt: new Date(createdAt.getTime() + maxAgeSeconds * 1000),
  });
  return { token, maxAgeSeconds };
}

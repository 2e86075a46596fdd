import type { Config } from "#app/config/config.ts";
import { findRememberedDevice } from "#app/db/repositories/remembered-devices.server.ts";
import type { RememberedDevice } from "#app/db/schema.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { hashToken } from "#app/domain/secret/token-hash.server.ts";
import { DAY_MS } from "#app/durations.ts";
import type { Clock } from "#app/ports.ts";

/** Dependencies of remembered devices. */
export type DeviceDeps = { store: Store; clock: Clock; config: Pick<Config, "mfaRememberDays"> };

/**
 * Returns true if this user, in this generation, has had this browser remembered. `browser` is the browser cookie,
 * `token` the device's own: one without the other is not enough.
 */
export async function isDeviceRemembered(
  { store, clock, config }: DeviceDeps,
  { userId, generation, browser, token }: { userId: string; generation: number; browser: string; token: string },
): Promise<boolean> {
  const hashes = { browserHash: hashToken(browser), tokenHash: hashToken(token) };
  const device = await findRememberedDevice(store, { userId, ...hashes });
  return device !== null && device.generation === generation && deviceExpiry(device, config) > clock.now();
}

/** Returns the expiry of a device: its own, or earlier if MFA_REMEMBER_DAYS has become smaller. */
export function deviceExpiry(
  { createdAt, expiresAt }: Pick<RememberedDevice, "createdAt" | "expiresAt">,
  { mfaRememberDays }: DeviceDeps["config"],
): Date {
  return new Date(Math.min(expiresAt.getTime(), createdAt.getTime() + mfaRememberDays * DAY_MS));
}

import { browserName } from "#app/browser-name.server.ts";
import { listRememberedDevices, removeRememberedDevice } from "#app/db/repositories/remembered-devices.server.ts";
import { lockGeneration } from "#app/db/repositories/user-generation.server.ts";
import type { SettingsAccess, Unauthorized } from "#app/domain/access/access.ts";
import { recordSettings } from "#app/domain/access/record.server.ts";
import type { AuditDeps } from "#app/domain/audit/record.server.ts";
import { hashToken } from "#app/domain/secret/token-hash.server.ts";
import type { RequestMetadata } from "#app/ports.ts";
import { type DeviceDeps, deviceExpiry } from "./check.server.ts";

/**
 * A remembered device in the settings. `id` identifies it and is not a secret; `isThis`: the settings are open in this
 * browser. `browser`: null parts are unknown.
 */
type OwnDevice = {
  id: string;
  isThis: boolean;
  browser: { name: string | null; system: string | null };
  rememberedAt: Date;
  expiresAt: Date;
};

/** Lists the valid remembered devices of the user: this browser first, then the newest. */
export async function listOwnDevices(
  { store, clock, config }: DeviceDeps,
  { userId, generation }: Pick<SettingsAccess, "userId" | "generation">,
  { browser }: Pick<RequestMetadata, "browser">,
): Promise<OwnDevice[]> {
  const now = clock.now();
  const browserHash = hashToken(browser);
  const devices = await listRememberedDevices(store, { userId, generation, now });
  return devices
    .map((device) => ({
      id: device.id,
      isThis: device.browserHash === browserHash,
      browser: browserName(device.userAgent),
      rememberedAt: device.createdAt,
      expiresAt: deviceExpiry(device, config),
    }))
    .filter(({ expiresAt }) => expiresAt > now)
    .toSorted((a, b) => Number(b.isThis) - Number(a.isThis));
}

/** Forgets a device of the user: the next sign-in there asks for the second factor. Sessions continue. */
export async function forgetDevice(
  context: AuditDeps,
  access: SettingsAccess,
  { id, ...metadata }: RequestMetadata & { id: string },
): Promise<{ kind: "done" } | { kind: "device not found" } | Unauthorized> {
  const { userId, generation } = access;
  return context.store.tx(async (store) => {
    if (!(await lockGeneration(store, userId, generation))) return { kind: "unauthorized" };
    if (!(await removeRememberedDevice(store, { userId, id }))) return { kind: "device not found" };
    await recordSettings({ ...context, store }, access, metadata, { type: "device.forgotten", outcome: "ok" });
    return { kind: "done" };
  });
}

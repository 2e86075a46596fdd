import { listOwnDevices } from "#app/domain/remembered-device/own-devices.server.ts";
import type { LoadContext } from "#app/http/load-context.server.ts";
import { browserText } from "#app/http/page-data.server.ts";
import type { Settings } from "#app/http/settings-session.server.ts";
import { dayText, type TimeTexts, whenText } from "#app/i18n/time-texts.server.ts";

/** A remembered device with formatted times. `name`: browser and system; `isThis`: the settings are open in it. */
export type DeviceTexts = { id: string; name: string; isThis: boolean; since: string; until: string };

/** Loads the user's remembered devices. */
export async function loadRememberedDevices(
  context: LoadContext,
  { access }: Settings,
  texts: TimeTexts,
): Promise<DeviceTexts[]> {
  const devices = await listOwnDevices(context, access, context);
  return devices.map(({ id, isThis, browser, rememberedAt, expiresAt }) => ({
    id,
    name: browserText(browser, texts),
    isThis,
    since: whenText(rememberedAt, texts),
    until: dayText(expiresAt, texts),
  }));
}

import { describe, expect, it } from "vitest";
import type { SettingsAccess } from "#app/domain/access/access.ts";
import { isDeviceRemembered } from "#app/domain/remembered-device/check.server.ts";
import { forgetDevice, listOwnDevices } from "#app/domain/remembered-device/own-devices.server.ts";
import { mayRememberDevice, rememberDevice } from "#app/domain/remembered-device/remember.server.ts";
import { blockUser } from "#app/domain/user/block.server.ts";
import { DAY_SECONDS } from "#app/durations.ts";
import { type Dialect, dialects } from "#tests/support/databases.ts";
import { METADATA, openedSettings } from "#tests/unit/domain/access/settings-fixtures.ts";
import { storedEvents } from "#tests/unit/domain/access/stored.ts";
import { putUserWithApp } from "#tests/unit/domain/second-factor/sign-in-fixtures.ts";

/** Opens Anna's settings on a server that remembers devices for 30 days; `remember` remembers one of her browsers. */
async function remembering(dialect: Dialect) {
  const { parts, store, access } = await openedSettings(dialect);
  const deps = { ...parts, config: { ...parts.config, mfaRememberDays: 30 } };
  const { userId, generation } = access;
  const remember = (browser: string, userAgent = "") =>
    rememberDevice(deps, { userId, generation, browser, userAgent });
  const isKnown = (browser: string, token: string, context = deps) =>
    isDeviceRemembered(context, { userId, generation, browser, token });
  const list = (context = deps) => listOwnDevices(context, access, METADATA);
  return { deps, store, access, remember, isKnown, list };
}

describe.each(dialects)("a remembered device on %s", (dialect) => {
  it("is remembered by its own token together with the browser cookie, for this user and generation", async () => {
    const { deps, access, remember, isKnown } = await remembering(dialect);
    const { token, maxAgeSeconds } = await remember("desk");
    expect(maxAgeSeconds).toBe(30 * DAY_SECONDS);
    expect(await isKnown("desk", token)).toBe(true);
    expect([await isKnown("other", token), await isKnown("desk", "other")]).toEqual([false, false]);
    const { userId, generation } = access;
    const device = { browser: "desk", token };
    expect(await isDeviceRemembered(deps, { userId, generation: generation + 1, ...device })).toBe(false);
    expect(await isDeviceRemembered(deps, { userId: "berta", generation, ...device })).toBe(false);
  });

  it("gets a new token when it is remembered again, which replaces the older one", async () => {
    const { remember, isKnown, list } = await remembering(dialect);
    const older = await remember("desk");
    const newer = await remember("desk");
    expect([await isKnown("desk", older.token), await isKnown("desk", newer.token)]).toEqual([false, true]);
    expect(await list()).toHaveLength(1);
  });

  it("expires after the configured days, and earlier if they become fewer", async () => {
    const { deps, remember, isKnown, list } = await remembering(dialect);
    const { token } = await remember("desk");
    deps.clock.advance(10 * DAY_SECONDS);
    const shorter = { ...deps, config: { ...deps.config, mfaRememberDays: 10 } };
    expect([await isKnown("desk", token, shorter), await list(shorter)]).toEqual([false, []]);
    expect(await isKnown("desk", token)).toBe(true);
    deps.clock.advance(20 * DAY_SECONDS);
    expect([await isKnown("desk", token), await list()]).toEqual([false, []]);
  });

  it("is listed with its browser, this one first, then the newest", async () => {
    const { deps, remember, list } = await remembering(dialect);
    for (const browser of [METADATA.browser, "older", "newer"]) {
      await remember(
        browser,
        browser === "newer" ? "Mozilla/5.0 (X11; Linux x86_64) Gecko/20100101 Firefox/140.0" : "",
      );
      deps.clock.advance(1);
    }
    const [here, newer, older] = await list();
    expect([here?.isThis, newer?.isThis, older?.isThis]).toEqual([true, false, false]);
    expect([newer?.browser, older?.browser]).toEqual([
      { name: "Firefox", system: "Linux" },
      { name: null, system: null },
    ]);
  });

  it("is forgotten by its user alone, while the settings are open", async () => {
    const { deps, store, access, remember, isKnown, list } = await remembering(dialect);
    const { token } = await remember("desk");
    const id = (await list())[0]?.id ?? "";
    const forget = (by: SettingsAccess, device = id) => forgetDevice(deps, by, { ...METADATA, id: device });
    const { user: berta } = await putUserWithApp(deps, "berta");
    const ofBerta = { ...access, userId: berta.id, generation: berta.generation };
    expect(await forget(ofBerta)).toEqual({ kind: "device not found" });
    expect(await isKnown("desk", token)).toBe(true);
    expect(await forget(access)).toEqual({ kind: "done" });
    expect(await forget(access)).toEqual({ kind: "device not found" });
    expect([await isKnown("desk", token), await storedEvents(store)]).toEqual([false, ["device.forgotten"]]);
    await blockUser(deps, "anna");
    expect(await forget(access)).toEqual({ kind: "unauthorized" });
  });

  it("may be remembered after an existing factor only: neither after a recovery code nor after a set-up", async () => {
    const { deps } = await remembering(dialect);
    const { user } = await putUserWithApp(deps, "berta");
    const given = { userId: user.id, setUp: false, byRecoveryCode: false };
    expect(await mayRememberDevice(deps, given)).toBe(true);
    expect(await mayRememberDevice(deps, { ...given, setUp: true })).toBe(false);
    expect(await mayRememberDevice(deps, { ...given, byRecoveryCode: true })).toBe(false);
    const never = { ...deps, config: { ...deps.config, mfaRememberDays: 0 } };
    expect(await mayRememberDevice(never, given)).toBe(false);
  });
});

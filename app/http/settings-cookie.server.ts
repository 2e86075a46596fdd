import type { Config } from "#app/config/config.ts";
import { hostCookie, readHostCookie } from "./cookies.server.ts";

type Site = Pick<Config, "issuer">;

/** A cookie of the settings. `read` returns the value as the browser sent it; "" if missing. */
export type SettingsCookie = {
  set(site: Site, value: string): string;
  clear(site: Site): string;
  read(site: Site, cookies: string | null | undefined): string;
};

/** Cookie with the token of this browser's page session. */
export const settingsCookie = cookieOf("settings", 30 * 60);

/** Cookie with the token of a confirmation to open the settings. */
export const settingsConfirmCookie = cookieOf("settings_confirm", 10 * 60);

function cookieOf(name: string, maxAgeSeconds: number): SettingsCookie {
  return {
    set: (site, value) => hostCookie(site, { name, value, maxAgeSeconds }),
    clear: (site) => hostCookie(site, { name, value: "", maxAgeSeconds: 0 }),
    read: (site, cookies) => readHostCookie(site, cookies, name) ?? "",
  };
}

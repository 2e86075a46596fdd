import type { Config } from "#app/config/config.ts";
import { hostCookie, readHostCookie } from "./cookies.server.ts";

type Site = Pick<Config, "issuer">;

/** A cookie of the settings. `read` answers what the browser sent, unchecked; "" without one. */
export type SettingsCookie = {
  keep(site: Site, value: string): string;
  forget(site: Site): string;
  read(site: Site, cookies: string | null | undefined): string;
};

/** Names the page session of the settings that are open in this browser. */
export const settingsCookie = cookieOf("settings", 30 * 60);

/** Names the settings that this browser has been asked to open. */
export const settingsConfirmCookie = cookieOf("settings_confirm", 10 * 60);

function cookieOf(name: string, maxAgeSeconds: number): SettingsCookie {
  return {
    keep: (site, value) => hostCookie(site, { name, value, maxAgeSeconds }),
    forget: (site) => hostCookie(site, { name, value: "", maxAgeSeconds: 0 }),
    read: (site, cookies) => readHostCookie(site, cookies, name) ?? "",
  };
}

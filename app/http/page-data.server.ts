import type { TFunction } from "i18next";
import type { AppContext } from "#app/context.server.ts";
import { getInstance } from "#app/i18n/instance.server.ts";
import { detectLanguage } from "#app/i18n/language.server.ts";
import type { Language } from "#app/i18n/language.ts";
import { exactTimeText, type TimeTexts } from "#app/i18n/time-texts.server.ts";
import type { ClientView } from "#app/oidc/client-view.server.ts";
import { SETTINGS_CLIENT_ID } from "#app/oidc/settings-client.server.ts";
import type { ClientLabel } from "#app/ui/page.tsx";
import type { StatusState } from "#app/ui/page-state.ts";

/** Result of a page's loader or action: status, title and state for root.tsx, and the component's props. */
export type PageView<State, Props> = { status: number; title: string; state: State } & Omit<Props, "state">;

/** Returns the texts of the login area in the language of the request. */
export async function textsOf({ config }: Pick<AppContext, "config">, request: Request): Promise<TFunction> {
  const { language } = await detectLanguage(request, "login", config);
  return getInstance(language, config.productName).t;
}

/** Returns the language of the settings, which is that of the browser, and its texts. */
export async function settingsTexts(
  { config }: Pick<AppContext, "config">,
  request: Request,
): Promise<{ language: Language; t: TFunction }> {
  const { language } = await detectLanguage(request, "manage", config);
  return { language, t: getInstance(language, config.productName).t };
}

/** Returns the input for texts of the login area that contain a time: language, texts, current time, TIME_ZONE. */
export async function timeTextsOf(
  { config, clock }: Pick<AppContext, "config" | "clock">,
  request: Request,
): Promise<TimeTexts> {
  const { language } = await detectLanguage(request, "login", config);
  const { t } = getInstance(language, config.productName);
  return { language, t, now: clock.now(), timeZone: config.timeZone };
}

/** Browser and operating system; null when the User-Agent did not contain them. */
export type BrowserNames = { name: string | null; system: string | null };

/** Formats browser and operating system, for example "Firefox on Linux". */
export function browserText({ name, system }: BrowserNames, { t }: Pick<TimeTexts, "t">): string {
  if (name !== null && system !== null) return t("common.browserOn", { browser: name, system });
  return name ?? system ?? t("common.unknownBrowser");
}

/** Returns a function that formats a time in the language of the request and in TIME_ZONE. */
export async function exactTimesOf(
  { config }: Pick<AppContext, "config">,
  request: Request,
): Promise<(at: Date) => string> {
  const { language } = await detectLanguage(request, "login", config);
  return (at) => exactTimeText(at, { language, timeZone: config.timeZone });
}

/** Returns the client for the page header; null for the settings, which are part of this server. */
export function clientLabel(client: ClientView | null): ClientLabel | null {
  if (client?.id === SETTINGS_CLIENT_ID) return null;
  return client ? { name: client.name, host: client.host, uri: client.uri } : null;
}

/** Reads the `status` parameter of a status page, and returns it with the HTTP status of the page. */
export function readStatus(request: Request): { state: StatusState; status: number } {
  const status = new URL(request.url).searchParams.get("status") ?? "";
  return { state: { status }, status: status === "success" ? 200 : 400 };
}

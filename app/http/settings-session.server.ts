import { isFresh, type SettingsAccess } from "#app/domain/settings/access.ts";
import { beginPageChain } from "#app/domain/settings/chain.server.ts";
import { findPageSession } from "#app/domain/settings/page-session.server.ts";
import type { LoadContext } from "./load-context.server.ts";
import { redirect303 } from "./reply.server.ts";
import { settingsCookie } from "./settings-cookie.server.ts";
import { checkXsrf, issueXsrf, type XsrfBinding } from "./xsrf.server.ts";

/** Where everybody is sent who is not in the settings (any more). */
export const UNAUTHORIZED_URL = "/manage/error/unauthorized";

/**
 * Somebody who is in the settings with this browser. `xsrf`: the value of `_xsrf` for the page's forms; `token`: the
 * bearer token of the page's first call, for `data-state`.
 */
export type Settings = { access: SettingsAccess; xsrf: string; token: string };

/**
 * The guard of every loader and action of the settings.
 * @throws a redirect to the page that says so, for a browser that has not opened the settings, or too long ago
 */
export async function requireSettings(context: LoadContext, request: Request): Promise<Settings> {
  const access = await findSettings(context, request);
  if (!access) throw redirect303(UNAUTHORIZED_URL);
  const binding = bindingOf(context, access);
  const pageSessionHash = binding.sessionUid;
  return { access, xsrf: issueXsrf(context, binding), token: beginPageChain(context, pageSessionHash) };
}

/**
 * The guard of pages and actions that change what protects the account.
 * @throws as requireSettings, and a redirect to the page that asks who it is, where the last proof is too old
 */
export async function requireFreshSettings(context: LoadContext, request: Request): Promise<Settings> {
  const settings = await requireSettings(context, request);
  if (isFresh(settings.access, context.clock.now())) return settings;
  throw redirect303(confirmUrl(pathOf(request)));
}

/** Who is in the settings with this browser, or null. */
export async function findSettings(context: LoadContext, request: Request): Promise<SettingsAccess | null> {
  const token = settingsCookie.read(context.config, request.headers.get("cookie"));
  return token === "" ? null : findPageSession(context, { token, browser: context.browser });
}

/** Whether a form of the settings was made for this browser and the page session it has now. */
export function isOwnSettingsForm(context: LoadContext, access: SettingsAccess, xsrf: string): boolean {
  return checkXsrf(context, xsrf, [bindingOf(context, access)]);
}

/** The page that asks who it is, and goes on to a page of the settings. */
export function confirmUrl(to: string): string {
  return `/manage/confirm?${new URLSearchParams({ to })}`;
}

/** The address of the page that a request is about; Remix asks for its data under another one. */
function pathOf(request: Request): string {
  return new URL(request.url).pathname.replace(/\.data$/, "");
}

/** Forms belong to the page session: it stays when the engine's session changes, and ends with it. */
function bindingOf({ browser }: LoadContext, { holder, userId }: SettingsAccess): XsrfBinding & { sessionUid: string } {
  if (holder.kind !== "page") throw new Error("a page of the settings is open without its page session");
  return { browser, sessionUid: holder.pageSessionHash, accountId: userId };
}

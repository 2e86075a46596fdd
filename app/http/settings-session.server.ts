import { isFresh, type SettingsAccess } from "#app/domain/access/access.ts";
import { findPageSession } from "#app/domain/access/page-session.server.ts";
import { beginPageChain } from "#app/domain/access/token-chain.server.ts";
import { settingsCookie } from "./cookies.server.ts";
import type { LoadContext } from "./load-context.server.ts";
import { redirect303 } from "./reply.server.ts";
import { checkXsrf, issueXsrf, type XsrfBinding } from "./xsrf.server.ts";

/** Redirect target for a browser without a page session. */
export const UNAUTHORIZED_URL = "/manage/error/unauthorized";

/**
 * The page session of this browser. `xsrf`: value of `_xsrf` for forms; `token`: bearer token of the page's first call,
 * for `data-state`.
 */
export type Settings = { access: SettingsAccess; xsrf: string; token: string };

/**
 * Guard of every loader and action of the settings. `page`: the page to which the user returns if a form was lost; that
 * of the request by default.
 * @throws a redirect to UNAUTHORIZED_URL or, after a form, to `lostFormUrl` if the browser has no live page session
 */
export async function requireSettings(
  context: LoadContext,
  request: Request,
  page: string = pathOf(request),
): Promise<Settings> {
  const settings = await loadSettings(context, request);
  if (!settings) throw redirect303(context.isPosted ? lostFormUrl(page) : UNAUTHORIZED_URL);
  return settings;
}

/** Returns the page session of this browser with the tokens of a page, or null. */
export async function loadSettings(context: LoadContext, request: Request): Promise<Settings | null> {
  const access = await findSettings(context, request);
  if (!access) return null;
  const binding = bindingOf(context, access);
  const pageSessionHash = binding.sessionUid;
  return { access, xsrf: issueXsrf(context, binding), token: beginPageChain(context, pageSessionHash) };
}

/**
 * Guard of pages and actions that change the protection of the account.
 * @throws like requireSettings, and a redirect to /manage/confirm if the last proof of identity is too old
 */
export async function requireFreshSettings(context: LoadContext, request: Request): Promise<Settings> {
  const settings = await requireSettings(context, request);
  if (isFresh(settings.access, context.clock.now())) return settings;
  throw redirect303(confirmUrl(pathOf(request), { isUnsaved: context.isPosted }));
}

/** Returns the settings access of this browser, or null. */
export async function findSettings(context: LoadContext, request: Request): Promise<SettingsAccess | null> {
  const token = settingsCookie.read(context.config, request.headers.get("cookie"));
  return token === "" ? null : findPageSession(context, { token, browser: context.browser });
}

/** Returns true if a form of the settings was issued to this browser and its current page session. */
export function isOwnSettingsForm(context: LoadContext, access: SettingsAccess, xsrf: string): boolean {
  return checkXsrf(context, xsrf, [bindingOf(context, access)]);
}

/**
 * Returns the URL that asks for a fresh proof of identity and then leads to `to`. `isUnsaved`: a form of that page was
 * sent, changed nothing, and has to be sent again.
 */
export function confirmUrl(to: string, { isUnsaved = false }: { isUnsaved?: boolean } = {}): string {
  return `/manage/confirm?${new URLSearchParams({ to, ...(isUnsaved ? { unsaved: "yes" } : {}) })}`;
}

/**
 * Returns the URL of the page that reports that a form of the page `to` changed nothing, because the browser has no page
 * session any more, and from which the user returns to `to`.
 */
export function lostFormUrl(to: string): string {
  return `${UNAUTHORIZED_URL}?${new URLSearchParams({ to, unsaved: "yes" })}`;
}

/** Returns the path of the page; Remix requests its data with the suffix `.data`. */
export function pathOf(request: Request): string {
  return new URL(request.url).pathname.replace(/\.data$/, "");
}

/** Binds forms to the page session, which survives a new engine session id and ends with that session. */
function bindingOf({ browser }: LoadContext, { holder, userId }: SettingsAccess): XsrfBinding & { sessionUid: string } {
  if (holder.kind !== "page") throw new Error("the settings access has no page session");
  return { browser, sessionUid: holder.pageSessionHash, accountId: userId };
}

import { isFresh } from "#app/domain/access/access.ts";
import { settingsTarget } from "#app/domain/access/settings-path.ts";
import { type Administrator, allows, type Permission } from "#app/domain/administration/administrator.ts";
import { findAdministration, findRole, storeOf } from "#app/domain/administration/find.server.ts";
import type { Role } from "#app/domain/role/role.ts";
import { ADMINISTRATION_PATH, isAdministrationPath } from "#app/ui/administration-path.ts";
import type { LoadContext } from "./load-context.server.ts";
import { refusal } from "./refusal.server.ts";
import { redirect303 } from "./reply.server.ts";
import { confirmUrl, loadSettings, lostFormUrl, pathOf, type Settings } from "./settings-session.server.ts";

/**
 * The settings of an administrator or help desk. `context`: its store names the administrator in each audit event, and
 * checks the role again at the start of each transaction. `isFresh`: the last proof of identity allows changes that give
 * access.
 */
export type Administration = Settings & { administrator: Administrator; context: LoadContext; isFresh: boolean };

/**
 * Guard of every loader and action of the administration. A user without the permission gets the page of an unknown URL.
 * @throws a redirect to a sign-in, or to the confirmation of identity, if the proof of identity does not suffice
 */
export async function requireAdministration(
  context: LoadContext,
  request: Request,
  permission: Permission,
): Promise<Administration> {
  if (!context.config.adminPages) throw refusal(404, "page_not_found");
  const page = pageOf(request);
  const settings = await loadSettings(context, request);
  // The settings close after ten idle minutes, the session does not: it opens them again without a question.
  const opensAgain = context.isPosted ? lostFormUrl(page) : openUrl(page);
  if (!settings) throw redirect303(opensAgain);
  const found = await findAdministration(context, settings.access);
  if (found.kind === "none") throw refusal(404, "page_not_found");
  if (found.kind === "one factor") throw redirect303(opensAgain);
  if (found.kind === "old proof") throw redirect303(confirmUrl(page, { isUnsaved: context.isPosted }));
  const { administrator } = found;
  if (!allows(administrator, permission)) throw refusal(404, "page_not_found");
  return {
    ...settings,
    administrator,
    isFresh: isFresh(settings.access, context.clock.now()),
    context: { ...context, store: storeOf(context.store, administrator, () => ended(page)) },
  };
}

/**
 * Guard of pages and actions that give access: like `requireAdministration`, and asks for a proof of identity that is
 * not older than ten minutes. After it, a GET page is shown; a form has to be sent again.
 */
export async function requireFreshAdministration(
  context: LoadContext,
  request: Request,
  permission: Permission,
): Promise<Administration> {
  const administration = await requireAdministration(context, request, permission);
  if (!administration.isFresh) throw redirect303(confirmUrl(pageOf(request), { isUnsaved: context.isPosted }));
  return administration;
}

/** Returns the role of the user in the settings, if the pages of the administration are on; null without one. */
export async function findRoleForPages(
  { config, store }: Pick<LoadContext, "config" | "store">,
  userId: string,
): Promise<Role | null> {
  if (!config.adminPages) return null;
  return (await findRole({ store }, userId))?.role ?? null;
}

/** The list or, for a page below a person or group, that person or group. Pages of an uploaded file are below the list. */
const PAGE_ABOVE = /^\/manage\/admin\/(?:people|groups)(?:\/(?!import\/)[\w-]+(?=\/))?/;

/**
 * Returns the page to which a user returns who does not confirm the identity for a page of the administration: the page
 * above it, which asks for no confirmation. Null for another page, and if the administration is not open to the user.
 */
export async function findPageAbove(context: LoadContext, { access }: Settings, path: string): Promise<string | null> {
  if (!isAdministrationPath(path) || !context.config.adminPages) return null;
  if ((await findAdministration(context, access)).kind !== "allowed") return null;
  return PAGE_ABOVE.exec(path)?.[0] ?? ADMINISTRATION_PATH;
}

function ended(page: string): never {
  throw redirect303(lostFormUrl(page));
}

/** Returns the path of the page and its query, with which the settings open again or a confirmation begins. */
function pageOf(request: Request): string {
  return settingsTarget(pathOf(request) + new URL(request.url).search);
}

function openUrl(page: string): string {
  return `/manage/open?${new URLSearchParams({ to: page })}`;
}

import type { TestUser } from "#tests/support/server.ts";
import type { BrowserUser, Installation } from "./installation.ts";
import { seedSettings } from "./session.ts";

/**
 * Opens a page of the settings for a user who has just signed in; `seedSettings` replaces the way through the pages.
 */
export async function openSettings(
  installation: Pick<Installation, "server">,
  browserUser: BrowserUser,
  user: TestUser,
  to = "/manage",
): Promise<void> {
  await seedSettings(installation, browserUser, user);
  await browserUser.page.goto(installation.server.url + to);
}

/** Opens a page of settings that need a proof of identity before a sensitive change. */
export async function openUnprovenSettings(
  installation: Pick<Installation, "server">,
  browserUser: BrowserUser,
  user: TestUser,
  to: string,
): Promise<void> {
  await seedSettings(installation, browserUser, user, { isProven: false });
  await browserUser.page.goto(installation.server.url + to);
}

/** Returns the accessible name of a row's link or button, such as "Change: Password". */
export function actionOn({ t }: Pick<BrowserUser, "t">, action: Action, name: string): string {
  return t("manage.actionOn", { action: t(`manage.actions.${action}`), name });
}

type Action = "view" | "change" | "setUp" | "add" | "edit" | "remove" | "connect" | "disconnect";

import { expect } from "vitest";
import type { TestUser } from "#tests/support/server.ts";
import type { BrowserUser, Installation } from "./installation.ts";
import { loginPage } from "./pages.ts";

/** Opens the settings through /manage/open, and signs in if required. */
export async function openSettings(
  { server }: Pick<Installation, "server">,
  browserUser: BrowserUser,
  user: TestUser,
  to = "/manage",
): Promise<void> {
  const { page } = browserUser;
  await page.goto(`${server.url}/manage/open?${new URLSearchParams({ to })}`);
  if (new URL(page.url()).pathname.startsWith("/login")) await loginPage(browserUser).signIn(user);
  await page.waitForURL(`${server.url}${to}`);
}

/** Waits until the page has hydrated, and the client script, which it loads then, has run. */
export async function settingsAreLive({ page }: Pick<BrowserUser, "page">): Promise<void> {
  const hasElements = () => page.evaluate(() => customElements.get("show-password") !== undefined);
  await expect.poll(hasElements, { timeout: 10_000 }).toBe(true);
}

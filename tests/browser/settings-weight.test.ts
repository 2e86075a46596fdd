import type { Request } from "playwright";
import { describe, expect, it } from "vitest";
import { LANGUAGES } from "#app/i18n/language.ts";
import { type BrowserUser, installationOfFile } from "#tests/browser/support/installation.ts";
import { giveKey, giveRecoveryCodes, giveTotp } from "#tests/support/factors.ts";
import { scriptsHaveRun } from "./support/pages.ts";
import { openSettings } from "./support/settings.ts";
import { keyPage } from "./support/settings-pages.ts";

/** Limit of all scripts and texts of a settings page, compressed; that of a page with a typed form contains conform. */
const MAX_SCRIPT_BYTES = 134 * 1024;
const MAX_FORM_SCRIPT_BYTES = 144 * 1024;
const TYPED_FORM = /credentials|register-totp|keys/;

const installation = await installationOfFile();

/** Returns the transferred bytes of each script of a page, with an empty cache. */
async function weighScripts({ context, page }: BrowserUser, address: string): Promise<number[]> {
  const session = await context.newCDPSession(page);
  await session.send("Network.clearBrowserCache");
  await session.detach();
  // Keyed by address, because a script requested twice is transferred once.
  const weights = new Map<string, Promise<number>>();
  const pending = new Set<Request>();
  const own = await context.newPage();
  own.on("request", (request) => {
    if (request.resourceType() === "script") pending.add(request);
  });
  own.on("requestfinished", (request) => {
    if (!pending.delete(request)) return;
    weights.set(
      request.url(),
      request.sizes().then((sizes) => sizes.responseBodySize),
    );
  });
  await own.goto(address);
  await scriptsHaveRun({ page: own });
  await expect.poll(() => pending.size).toBe(0);
  const bytes = await Promise.all(weights.values());
  await own.close();
  return bytes;
}

/** Returns the paths of all settings pages, for a user with all factors. */
async function pagesOf(user: { id: string }): Promise<string[]> {
  return [
    "/manage",
    "/manage/credentials/password",
    "/manage/credentials/username",
    "/manage/mfa",
    "/manage/mfa/default-method",
    "/manage/mfa/register-totp",
    "/manage/mfa/register-fido2",
    "/manage/mfa/totp/remove",
    await keyPage(installation, user),
    "/manage/mfa/recovery-codes",
    "/manage/sessions",
    "/manage/applications",
    "/manage/activity",
    "/manage/language",
    "/manage/error/page_not_found",
  ];
}

describe.each(LANGUAGES)("in %s", (language) => {
  it("no page weighs more than 134 KB of scripts and texts, or 144 KB with a typed form", async () => {
    // The set-up page responds 400 if the user has an app, but loads the same scripts.
    const browserUser = await installation.open({ language, expected: [/status of 400/, /status of 404/] });
    const user = await installation.createUser();
    await openSettings(installation, browserUser, user);
    await giveTotp(installation.server, user);
    await giveKey(installation.server, user);
    await giveRecoveryCodes(installation.server, user);
    const heavy: [string, number][] = [];
    for (const path of await pagesOf(user)) {
      const scripts = await weighScripts(browserUser, installation.server.url + path);
      expect(scripts.length).toBeGreaterThan(4);
      const total = scripts.reduce((sum, bytes) => sum + bytes, 0);
      const limit = TYPED_FORM.test(path) ? MAX_FORM_SCRIPT_BYTES : MAX_SCRIPT_BYTES;
      if (total > limit) heavy.push([path, total]);
    }
    expect(heavy).toEqual([]);
    await browserUser.close();
  });
});

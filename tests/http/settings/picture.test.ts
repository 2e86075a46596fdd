import { expect, test } from "vitest";
import { setUser } from "#app/domain/user/set.server.ts";
import { serverOfFile } from "#tests/support/server.ts";
import { createSettingsClient } from "./steps.ts";

const PICTURE = "https://pictures.example/anna.png?size=96";

const server = await serverOfFile();
const settingsClient = await createSettingsClient(server);
const anna = await server.users.create();

/** Returns the sources of images that a Content-Security-Policy allows. */
function pictureSources(policy: unknown): string {
  return /img-src ([^;]*)/.exec(String(policy))?.[1]?.trim() ?? "";
}

test("the header of the settings shows initials where the user has no picture", async () => {
  const page = await settingsClient.openSettings(server.browser(), anna);
  expect(page.body).not.toContain("<img");
  expect(pictureSources(page.headers["content-security-policy"])).toBe("'self' data:");
});

test("the header of every page of the settings shows the user's picture, and allows pictures of its site alone", async () => {
  await setUser(server.context, anna.username, { picture: PICTURE });
  const browser = server.browser();
  await settingsClient.openSettings(browser, anna);
  for (const path of ["/manage", "/manage/mfa", "/manage/credentials/username", "/manage/sessions"]) {
    const page = await browser.get(path);
    expect([path, page.status]).toEqual([path, 200]);
    expect(page.body).toMatch(/<img[^>]* src="https:\/\/pictures\.example\/anna\.png\?size=96"/);
    expect(page.body).toMatch(/<img[^>]* referrerPolicy="no-referrer"/i);
    expect(pictureSources(page.headers["content-security-policy"])).toBe("'self' data: https://pictures.example");
  }
});

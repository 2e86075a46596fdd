import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { contrastOf } from "#app/config/accent.server.ts";
import { type Installation, startInstallation } from "./support/installation.ts";
import { seedSettings } from "./support/session.ts";

const SVG =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 60 28"><path fill="#1d4f91" d="M0 0h60v28H0z"/></svg>';

describe("the office's logo and colour in a browser", () => {
  const folder = mkdtempSync(join(tmpdir(), "gatehouse-brand-"));
  let installation: Installation;
  beforeAll(async () => {
    writeFileSync(join(folder, "logo.svg"), SVG);
    installation = await startInstallation({
      env: { LOGO_FILE: join(folder, "logo.svg"), ACCENT_COLOR: "#1d4f91" },
    });
  });
  afterAll(async () => {
    await installation.close();
    rmSync(folder, { recursive: true });
  });

  it.each(["light", "dark"] as const)(
    "buttons and tab have the colour on %s pages, without JavaScript",
    async (scheme) => {
      const { server } = installation;
      const anna = await installation.open({ javaScript: false });
      await anna.page.emulateMedia({ colorScheme: scheme });
      await anna.page.goto(`${server.url}/password-reset/request-form`);
      const { background, text } = await anna.page.locator("button.button").evaluate((element) => {
        const { backgroundColor, color } = getComputedStyle(element);
        return { background: backgroundColor, text: color };
      });
      const expected = server.context.config.accent?.[scheme];
      expect(hexOf(background)).toBe(expected?.brand);
      expect(contrastOf(hexOf(text), hexOf(background))).toBeGreaterThanOrEqual(4.5);
      const tab = anna.page.locator(".sheet");
      expect(hexOf(await tab.evaluate((sheet) => getComputedStyle(sheet, "::before").borderTopColor))).toBe(
        expected?.brand,
      );
      const logo = anna.page.locator(".brand img");
      expect(await logo.evaluate((image) => image instanceof HTMLImageElement && image.naturalWidth > 0)).toBe(true);
      const [image, name] = [await logo.boundingBox(), await anna.page.locator(".brand b").boundingBox()];
      expect(image?.height).toBe(28);
      expect(name?.x).toBeGreaterThan((image?.x ?? 0) + (image?.width ?? 0));
      await anna.close();
    },
  );

  it("the settings have them before and after hydration", async () => {
    const anna = await installation.open();
    await seedSettings(installation, anna, await installation.createUser());
    await anna.page.goto(`${installation.server.url}/manage/credentials/username`);
    const logo = anna.page.locator(".brand img");
    await logo.waitFor();
    expect(await anna.page.locator('link[href^="/brand/"]').count()).toBe(1);
    expect(await anna.page.locator(".brand svg").count()).toBe(0);
    await anna.close();
  });
});

function hexOf(colour: string): string {
  const values = colour.match(/\d+/g)?.slice(0, 3) ?? [];
  return `#${values.map((value) => Number(value).toString(16).padStart(2, "0")).join("")}`;
}

import { beforeEach, describe, expect, it } from "vitest";
import { type BrowserUser, installationOfFile } from "#tests/browser/support/installation.ts";
import { goToSecondFactor, readSecret, stepPage } from "./support/factors.ts";
import { seesHeading } from "./support/pages.ts";
import { readQrCodes } from "./support/read-qr-code.ts";

const LOOKS = [
  { look: "dark", media: { colorScheme: "dark" } },
  { look: "light", media: { colorScheme: "light" } },
  { look: "dark, in forced colours", media: { colorScheme: "dark", forcedColors: "active" } },
] as const;

const WIDTHS = [1280, 360];
let anna: BrowserUser;

const installation = await installationOfFile();
const clientApp = await installation.openClientApp({ firstParty: true });

describe("the picture of a new authenticator app's secret", () => {
  beforeEach(async () => {
    anna = await installation.open({ language: "de" });
    const group = await installation.server.groups.create({ requireMfa: true });
    const user = await installation.server.users.create({ groupName: group.name });
    await goToSecondFactor(anna, `${clientApp.url}/sign-in`, user);
    await stepPage(anna).setUp.totp.click();
    await seesHeading(anna, anna.t("manageTotp.heading"));
    return () => anna.close();
  });

  it.each(LOOKS)("is read off a screen that is $look, wide and narrow", async ({ media }) => {
    const { page } = anna;
    await page.emulateMedia(media);
    const secret = await readSecret(anna);
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 800 });
      const [text = "", ...others] = await readQrCodes(await page.screenshot({ fullPage: true }));
      expect(others).toEqual([]);
      const { protocol, host, searchParams } = new URL(text);
      expect({ protocol, host, secret: searchParams.get("secret") }).toEqual({
        protocol: "otpauth:",
        host: "totp",
        secret,
      });
    }
  });
});

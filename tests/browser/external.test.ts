import { afterAll, describe, expect, test } from "vitest";
import type { Provider } from "#app/config/providers.ts";
import type { FakeProviderUser } from "#demo/fake-provider/types.ts";
import { type BrowserUser, installationOfFile } from "#tests/browser/support/installation.ts";
import { addProviderUser, connect } from "#tests/http/external/providers.ts";
import { freePort } from "#tests/support/free-port.ts";
import { startUpstream } from "#tests/support/upstream.ts";
import { loginPage, readDetail, seesHeading } from "./support/pages.ts";
import { actionOn, openSettings } from "./support/settings.ts";
import { TWO_WAYS } from "./support/variants.ts";

const port = await freePort();
const appUrl = `http://localhost:${port}`;
const [google, microsoft, apple] = [
  await startUpstream("google", { appUrl }),
  await startUpstream("microsoft", { appUrl }),
  await startUpstream("apple", { appUrl }),
];
const upstream = { google, microsoft, apple };
const installation = await installationOfFile({
  env: { ISSUER: appUrl, PORT: String(port), ...google.env, ...microsoft.env, ...apple.env },
});
const clientApp = await installation.openClientApp({ firstParty: true });
afterAll(async () => {
  for (const one of Object.values(upstream ?? {})) await one.close();
});

const LABELS = {
  google: "login.provider.google",
  microsoft: "login.provider.microsoft",
  apple: "login.provider.apple",
} as const;

/** Presses the provider's button and chooses a user there. */
async function signInWith(
  { page, t }: BrowserUser,
  provider: Provider,
  { sub }: Pick<FakeProviderUser, "sub">,
  javaScript: boolean,
) {
  await page.goto(`${clientApp.url}/sign-in`);
  await page.getByRole("link", { name: t(LABELS[provider]) }).click();
  await page.locator(`button[value="${sub}"]`).click();
  // Without JavaScript, Apple's response must be submitted by a button.
  if (provider === "apple" && !javaScript) await page.getByRole("button").click();
}

describe.each(TWO_WAYS)(
  "with an account elsewhere ($language, JavaScript: $javaScript)",
  ({ language, javaScript }) => {
    test.each<Provider>(["google", "microsoft", "apple"])("at %s a user signs in", async (provider) => {
      const providerUser = addProviderUser(upstream[provider]);
      const user = await installation.createUser();
      await connect(installation.server, upstream[provider], providerUser, user.id);
      const anna = await installation.open({ language, javaScript });
      await signInWith(anna, provider, providerUser, javaScript);
      await anna.page.waitForURL(`${clientApp.url}/`);
      expect(await readDetail(anna.page, "claims")).toMatchObject({ sub: user.id });
      await anna.context.close();
    });

    test("that is linked to two accounts: the user chooses one with a single key", async () => {
      const providerUser = addProviderUser(upstream.google);
      const groups = [await installation.server.groups.create(), await installation.server.groups.create()];
      const users = await Promise.all(
        groups.map(({ name: groupName }, at) =>
          installation.server.users.create({ groupName, displayName: `Eva ${at}` }),
        ),
      );
      for (const user of users) await connect(installation.server, upstream.google, providerUser, user.id);
      const anna = await installation.open({ language, javaScript });
      await signInWith(anna, "google", providerUser, javaScript);
      await seesHeading(anna, anna.t("selectAccount.heading"));
      await anna.page.reload();
      await anna.page.getByRole("button", { name: "Eva 1" }).focus();
      await anna.page.keyboard.press("Enter");
      await anna.page.waitForURL(`${clientApp.url}/`);
      expect(await readDetail(anna.page, "claims")).toMatchObject({ sub: users[1]?.id });
      await anna.context.close();
    });

    test("that is not linked: the page names the provider and the next step, and a cancelled sign-in leads back to the form", async () => {
      const providerUser = addProviderUser(upstream.google);
      const anna = await installation.open({ language, javaScript });
      await signInWith(anna, "google", providerUser, javaScript);
      await anna.page.getByRole("alert").getByText(anna.t("login.error.google")).waitFor();
      expect(await loginPage(anna).submit.isEnabled()).toBe(true);

      await signInWith(anna, "microsoft", { sub: "" }, javaScript);
      await anna.page
        .getByRole("status")
        .getByText(anna.t("login.info.providerCancelled", { provider: "Microsoft" }))
        .waitFor();
      await seesHeading(anna, anna.t("login.heading"));
      expect(await loginPage(anna).submit.isEnabled()).toBe(true);
      await anna.context.close();
    });

    test("a user connects it in the settings, and disconnects it again", async () => {
      const providerUser = addProviderUser(upstream.google);
      const user = await installation.createUser();
      const anna = await installation.open({ language, javaScript });
      const { page, t } = anna;
      await openSettings(installation, anna, user);
      await page.getByRole("button", { name: actionOn(anna, "connect", "Google") }).click();
      await page.locator(`button[value="${providerUser.sub}"]`).click();
      await page.locator(".row").filter({ hasText: providerUser.email }).waitFor();
      await page.getByRole("button", { name: actionOn(anna, "disconnect", "Google") }).click();
      await seesHeading(anna, t("manage.providers.confirm.heading", { provider: "Google" }));
      await page.getByRole("button", { name: t("manage.providers.disconnect", { provider: "Google" }) }).click();
      await page.getByRole("button", { name: actionOn(anna, "connect", "Google") }).waitFor();
      expect(new URL(page.url()).pathname).toBe("/manage");
      await anna.context.close();
    });
  },
);

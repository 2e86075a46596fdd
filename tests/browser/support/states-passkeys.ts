import { passkeyDeviceCookie } from "#app/http/cookies.server.ts";
import { giveKey, givePasskey, giveTotp } from "#tests/support/factors.ts";
import type { Visit } from "./page-setup.ts";
import { type PageState, page } from "./page-state.ts";
import { signInAt } from "./pages.ts";
import { goesTo, keyPage, opensSettings } from "./settings-pages.ts";

/** The AAGUID of Windows Hello. */
const WINDOWS_HELLO = "08987058-cadc-4b81-b6e1-30de50dcbe96";

async function opensWithPasskey(visit: Visit) {
  await opensSettings(visit);
  const { server } = visit.installation;
  await givePasskey(server, visit.user, { bend: { aaguid: WINDOWS_HELLO, be: false, bs: false } });
}

export const passkeyStates: readonly PageState[] = [
  {
    ...page("the offer of a passkey after a sign-in", "passkeyOffer.title", async (visit) => {
      const { context } = visit.installation.server;
      const { host, origin } = new URL(context.config.issuer);
      const name = passkeyDeviceCookie.name(context.config);
      await visit.anna.context.addCookies([{ name, value: "yes", url: `${origin}/` }]);
      await signInAt(visit.anna, `${visit.clientApp.url}/sign-in`, visit.user);
      await visit.anna.page.waitForURL(({ host: at, pathname }) => at === host && pathname === "/login/passkey-offer");
    }),
    ownBrowser: true,
  },
  page("settings, a passkey is set up", "managePasskey.title", (visit) =>
    opensSettings(visit, "/manage/mfa/register-passkey"),
  ),
  page("settings, passkeys and a key", "manageMfa.title", async (visit) => {
    await opensWithPasskey(visit);
    await givePasskey(visit.installation.server, visit.user);
    await giveKey(visit.installation.server, visit.user);
    await goesTo(visit, "/manage/mfa");
  }),
  page("settings, a passkey is named", "manage.title", async (visit) => {
    await opensWithPasskey(visit);
    await goesTo(visit, "/manage?status=passkey-added");
  }),
  page("settings, one passkey", "managePasskey.one.title", async (visit) => {
    await opensWithPasskey(visit);
    await goesTo(visit, await keyPage(visit.installation, visit.user));
  }),
  page("settings, a passkey is removed", "managePasskey.remove.heading", async (visit) => {
    await opensWithPasskey(visit);
    await goesTo(visit, `${await keyPage(visit.installation, visit.user)}/remove`);
  }),
  page("settings, an app is removed beside a passkey", "manageTotp.remove.title", async (visit) => {
    await opensWithPasskey(visit);
    await giveTotp(visit.installation.server, visit.user);
    await goesTo(visit, "/manage/mfa/totp/remove");
  }),
];

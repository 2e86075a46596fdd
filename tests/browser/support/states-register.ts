import { randomBytes } from "node:crypto";
import { REGISTRATION_MINUTES } from "#app/domain/registration/registration.server.ts";
import { createRegistrar, newAccount, type Registrar } from "#tests/http/register/steps.ts";
import { backToNow, letMinutesPass } from "./clock.ts";
import { submitForged } from "./forge.ts";
import type { BrowserUser } from "./installation.ts";
import type { Visit } from "./page-setup.ts";
import { type PageState, page, problem } from "./page-state.ts";
import { alertOf, loginPage } from "./pages.ts";

/** Hints of the maximum length. */
const LONG_HINTS = {
  "reg_hints[email]": `${"x".repeat(180)}@office.example`,
  "reg_hints[NameOfTheOfficeThatThePersonWorksForAsItIsKnown]": "Dr. Eva Brandt",
};

function createButton({ page, t }: Pick<BrowserUser, "page" | "t">) {
  return page.getByRole("button", { name: t("register.submit"), exact: true });
}

/** Opens the sign-in form of an application with registration. */
async function isOffered({ anna, clientApp, installation }: Visit): Promise<Registrar> {
  const regHints = ["email", "NameOfTheOfficeThatThePersonWorksForAsItIsKnown"];
  const registrationUrl = `${clientApp.url}/join`;
  const party = await createRegistrar(installation.server, { regHints, name: "Broker Desk", registrationUrl });
  await anna.page.goto(party.request(LONG_HINTS).url);
  await createButton(anna).waitFor();
  return party;
}

/** Registers Anna through the application and returns the callback URL. */
async function isRegistered(visit: Visit): Promise<string> {
  const { anna } = visit;
  const party = await isOffered(visit);
  const left = anna.page.waitForRequest((request) => request.url().includes("registration_token="));
  await anna.page.route(/registration_token=/, (route) => route.fulfill({ status: 204 }));
  await createButton(anna).click();
  const token = new URL((await left).url()).searchParams.get("registration_token") ?? "";
  const id = String((await party.redeem(token)).json().registration_id);
  return String((await party.complete(id, newAccount())).json().callback_url);
}

const title = "register.callback.title";

export const registerStates: readonly PageState[] = [
  page("sign-in, with registration", "login.title", async (visit) => {
    await isOffered(visit);
  }),
  problem("sign-in, with registration, form expired", 403, "login.title", async (visit) => {
    await isOffered(visit);
    await submitForged(createButton(visit.anna));
  }),
  page("sign-in, after the registration", "login.title", async (visit) => {
    await visit.anna.page.goto(await isRegistered(visit));
    await loginPage(visit.anna).submit.waitFor();
  }),
  problem("registration, link expired", 400, title, async (visit) => {
    const callbackUrl = await isRegistered(visit);
    letMinutesPass(REGISTRATION_MINUTES);
    try {
      await visit.anna.page.goto(callbackUrl);
    } finally {
      backToNow();
    }
    await alertOf(visit.anna.page).waitFor();
  }),
  problem("registration, failed", 400, title, async ({ anna, installation }) => {
    const token = randomBytes(32).toString("base64url");
    await anna.page.goto(`${installation.server.url}/register/callback?token=${token}`);
    await alertOf(anna.page).waitFor();
  }),
];

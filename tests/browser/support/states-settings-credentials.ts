import { NEW_PASSWORD } from "#tests/http/password-reset/steps.ts";
import type { Visit } from "./page-setup.ts";
import { type PageState, page, problem } from "./page-state.ts";
import { alertOf } from "./pages.ts";
import { opensSettings, sendStale, sendUnchecked, settingsPages } from "./settings-pages.ts";

const PASSWORD = "/manage/credentials/password";
const USERNAME = "/manage/credentials/username";

/** Submits input that the server refuses, bypassing the script's checks. */
async function isRefused(visit: Visit, current: string, next: string) {
  const page = settingsPages(visit.anna).password;
  await page.current.fill(current);
  await page.next.fill(next);
  await page.repeat.fill(next);
  await sendUnchecked(visit.anna, PASSWORD);
  await alertOf(visit.anna.page).waitFor();
}

async function wantsName(visit: Visit, name: string) {
  await settingsPages(visit.anna).username.field.fill(name);
  await settingsPages(visit.anna).username.save.click();
  await alertOf(visit.anna.page).waitFor();
}

export const settingsCredentialStates: readonly PageState[] = [
  page("settings, password", "managePassword.title", (visit) => opensSettings(visit, PASSWORD)),
  problem("settings, password, empty fields", 400, "managePassword.title", async (visit) => {
    await opensSettings(visit, PASSWORD);
    await isRefused(visit, "", "");
  }),
  problem("settings, password, the current one wrong", 400, "managePassword.title", async (visit) => {
    await opensSettings(visit, PASSWORD);
    await isRefused(visit, "Not-My-Password-1", NEW_PASSWORD);
  }),
  problem("settings, password, rules not met", 400, "managePassword.title", async (visit) => {
    await opensSettings(visit, PASSWORD);
    await isRefused(visit, visit.user.password, "Leuchtturm");
  }),
  problem("settings, password, form expired", 403, "managePassword.title", async (visit) => {
    await opensSettings(visit, PASSWORD);
    await sendStale(visit.anna, PASSWORD);
    await alertOf(visit.anna.page).waitFor();
  }),
  page("settings, language", "manageLanguage.title", (visit) => opensSettings(visit, "/manage/language")),
  page("settings, user name", "manageUsername.title", (visit) => opensSettings(visit, USERNAME)),
  problem("settings, user name, empty field", 400, "manageUsername.title", async (visit) => {
    await opensSettings(visit, USERNAME);
    await wantsName(visit, " ");
  }),
  problem("settings, user name, taken", 400, "manageUsername.title", async (visit) => {
    const other = await visit.installation.createUser();
    await opensSettings(visit, USERNAME);
    await wantsName(visit, other.username.toUpperCase());
  }),
];

import { NEW_PASSWORD } from "#tests/http/password-reset/steps.ts";
import type { Visit } from "./page-setup.ts";
import { alertOf } from "./pages.ts";
import { opensSettings, sendStale, sendUnchecked, settingsPages } from "./settings-pages.ts";
import type { PageState } from "./states.ts";

const PASSWORD = "/manage/credentials/password";
const USERNAME = "/manage/credentials/username";

const password = { title: "managePassword.title" } as const;
const username = { title: "manageUsername.title" } as const;
const refused = { status: 400, problem: true } as const;

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
  { name: "settings, password", status: 200, ...password, reach: (visit) => opensSettings(visit, PASSWORD) },
  {
    name: "settings, password, empty fields",
    ...refused,
    ...password,
    async reach(visit) {
      await opensSettings(visit, PASSWORD);
      await isRefused(visit, "", "");
    },
  },
  {
    name: "settings, password, the current one wrong",
    ...refused,
    ...password,
    async reach(visit) {
      await opensSettings(visit, PASSWORD);
      await isRefused(visit, "Not-My-Password-1", NEW_PASSWORD);
    },
  },
  {
    name: "settings, password, rules not met",
    ...refused,
    ...password,
    async reach(visit) {
      await opensSettings(visit, PASSWORD);
      await isRefused(visit, visit.user.password, "Leuchtturm");
    },
  },
  {
    name: "settings, password, form expired",
    ...refused,
    status: 403,
    ...password,
    async reach(visit) {
      await opensSettings(visit, PASSWORD);
      await sendStale(visit.anna, PASSWORD);
      await alertOf(visit.anna.page).waitFor();
    },
  },
  {
    name: "settings, language",
    status: 200,
    title: "manageLanguage.title",
    reach: (visit) => opensSettings(visit, "/manage/language"),
  },
  { name: "settings, user name", status: 200, ...username, reach: (visit) => opensSettings(visit, USERNAME) },
  {
    name: "settings, user name, empty field",
    ...refused,
    ...username,
    async reach(visit) {
      await opensSettings(visit, USERNAME);
      await wantsName(visit, " ");
    },
  },
  {
    name: "settings, user name, taken",
    ...refused,
    ...username,
    async reach(visit) {
      const other = await visit.installation.createUser();
      await opensSettings(visit, USERNAME);
      await wantsName(visit, other.username.toUpperCase());
    },
  },
];

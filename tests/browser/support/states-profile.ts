import { issueEmailChange, issueEmailUndo } from "#app/domain/profile/link.server.ts";
import { getUserByName } from "#app/domain/user/get.server.ts";
import { submitForged } from "./forge.ts";
import type { Visit } from "./page-setup.ts";
import { type PageState, page, problem } from "./page-state.ts";
import { alertOf, seesHeading } from "./pages.ts";
import { goesTo, opensSettings, sendStale, sendUnchecked } from "./settings-pages.ts";

const NAME = "/manage/profile/name";
const PHONE = "/manage/profile/phone";
const EMAIL = "/manage/profile/email";
const CONFIRM = "/email-change/confirm";
const UNDO = "/email-change/undo";

/** A long address, to test the layout. */
const NEW_ADDRESS = "anna.wuerttemberg@hohenzollern.example";

/** Fields and buttons of the pages that change the profile, and of the mailed links, located as a user finds them. */
export function profilePages({ page, t }: Pick<Visit["anna"], "page" | "t">) {
  const field = (name: string) => page.getByLabel(name, { exact: true });
  const button = (name: string) => page.getByRole("button", { name, exact: true });
  return {
    displayName: field(t("manageProfile.editName.displayName")),
    givenName: field(t("manageProfile.editName.givenName")),
    familyName: field(t("manageProfile.editName.familyName")),
    phone: field(t("manageProfile.editPhone.label")),
    email: field(t("manageProfile.editEmail.label")),
    save: button(t("manageProfile.save")),
    send: button(t("manageProfile.editEmail.submit")),
    again: button(t("manageProfile.editEmail.again")),
    withdraw: button(t("manageProfile.editEmail.withdraw")),
    confirm: button(t("emailChange.confirm.submit")),
    undo: button(t("emailChange.undo.submit")),
  };
}

/** Sends a wrong value without the browser's checks. */
async function isRefused(visit: Visit, path: string, field: "displayName" | "phone" | "email", value: string) {
  await opensSettings(visit, path);
  await profilePages(visit.anna)[field].evaluate((input) => input.removeAttribute("maxlength"));
  await profilePages(visit.anna)[field].fill(value);
  if (field === "email") await profilePages(visit.anna).send.click();
  else await sendUnchecked(visit.anna, path);
  await alertOf(visit.anna.page).waitFor();
}

/** Enters a new address, and waits for the report of the overview. */
async function requestAddress(visit: Visit) {
  await opensSettings(visit, EMAIL);
  await profilePages(visit.anna).email.fill(NEW_ADDRESS);
  await profilePages(visit.anna).send.click();
  await visit.anna.page.locator('[data-code="email-sent"]').waitFor();
}

/** Opens the link that was mailed to a new address. */
async function openConfirm({ anna, installation: { server }, user }: Visit) {
  const stored = await getUserByName(server.context.store, user.username);
  await anna.page.goto((await issueEmailChange(server.context, stored, `${user.username}.neu@office.example`)).url);
  await seesHeading(anna, anna.t("emailChange.confirm.heading"));
}

/** Opens the link of the notice to the old address. */
async function openUndo({ anna, installation: { server }, user }: Visit) {
  const stored = await getUserByName(server.context.store, user.username);
  await anna.page.goto((await issueEmailUndo(server.context, stored, `${user.username}@office.example`)).url);
  await seesHeading(anna, anna.t("emailChange.undo.heading"));
}

const opens =
  (path: string) =>
  async ({ anna, installation }: Visit) => {
    await anna.page.goto(`${installation.server.url}${path}`);
  };

const unknown = "a".repeat(43);

export const profileStates: readonly PageState[] = [
  page("settings, name", "manageProfile.editName.title", (visit) => opensSettings(visit, NAME)),
  problem("settings, name, too long", 400, "manageProfile.editName.title", (visit) =>
    isRefused(visit, NAME, "displayName", "x".repeat(201)),
  ),
  page("settings, phone", "manageProfile.editPhone.title", (visit) => opensSettings(visit, PHONE)),
  problem("settings, phone, too long", 400, "manageProfile.editPhone.title", (visit) =>
    isRefused(visit, PHONE, "phone", "1".repeat(51)),
  ),
  page("settings, e-mail address", "manageProfile.editEmail.title", (visit) => opensSettings(visit, EMAIL)),
  problem("settings, e-mail address, invalid", 400, "manageProfile.editEmail.title", (visit) =>
    isRefused(visit, EMAIL, "email", "anna"),
  ),
  problem("settings, e-mail address, form expired", 403, "manageProfile.editEmail.title", async (visit) => {
    await opensSettings(visit, EMAIL);
    await sendStale(visit.anna, EMAIL);
    await alertOf(visit.anna.page).waitFor();
  }),
  page("settings, e-mail address entered", "manage.title", requestAddress),
  page("settings, e-mail address, waiting", "manageProfile.editEmail.title", async (visit) => {
    await requestAddress(visit);
    await goesTo(visit, EMAIL);
    await profilePages(visit.anna).withdraw.waitFor();
  }),
  page("new e-mail address", "emailChange.confirm.heading", openConfirm),
  problem("new e-mail address, form expired", 403, "emailChange.confirm.heading", async (visit) => {
    await openConfirm(visit);
    await submitForged(profilePages(visit.anna).confirm);
  }),
  page("new e-mail address confirmed", "emailChange.confirm.success.heading", async (visit) => {
    await openConfirm(visit);
    await profilePages(visit.anna).confirm.click();
    await seesHeading(visit.anna, visit.anna.t("emailChange.confirm.success.heading"));
  }),
  problem("new e-mail address, taken", 400, "emailChange.confirm.taken.heading", opens(`${CONFIRM}?status=taken`)),
  problem(
    "new e-mail address, invalid link",
    400,
    "emailChange.confirm.errorToken.heading",
    opens(`${CONFIRM}?change_token=${unknown}`),
  ),
  problem("new e-mail address, link not opened", 400, "passwordReset.status.noLink.title", opens(CONFIRM)),
  problem("new e-mail address, failed", 400, "emailChange.technical.heading", opens(`${CONFIRM}?status=error`)),
  page("old e-mail address", "emailChange.undo.heading", openUndo),
  problem("old e-mail address, form expired", 403, "emailChange.undo.heading", async (visit) => {
    await openUndo(visit);
    await submitForged(profilePages(visit.anna).undo);
  }),
  page("old e-mail address restored", "emailChange.undo.success.heading", async (visit) => {
    await openUndo(visit);
    await profilePages(visit.anna).undo.click();
    await seesHeading(visit.anna, visit.anna.t("emailChange.undo.success.heading"));
  }),
  problem(
    "old e-mail address, invalid link",
    400,
    "emailChange.undo.errorToken.heading",
    opens(`${UNDO}?undo_token=${unknown}`),
  ),
  problem("old e-mail address, link not opened", 400, "passwordReset.status.noLink.title", opens(UNDO)),
];

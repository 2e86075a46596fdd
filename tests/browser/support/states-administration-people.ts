import { addUser } from "#app/domain/user/add.server.ts";
import { inviteUser } from "#app/domain/user/invite.server.ts";
import { openAdministration } from "./administration.ts";
import type { Visit } from "./page-setup.ts";
import { type PageState, page, problem } from "./page-state.ts";

/** Adds an invited person; the name is one of those that pages may show in any language. */
async function hasInvited({ installation, user }: Visit): Promise<void> {
  const { context } = installation.server;
  const username = `${user.username}-invited`;
  await addUser(context, { username, displayName: user.displayName, email: `${username}@office.example` });
  await inviteUser(context, username);
}

export const administrationPeopleStates: readonly PageState[] = [
  page("people, a search", "adminPeople.title", async (visit) => {
    await hasInvited(visit);
    await openAdministration(visit, `/manage/admin/people?q=${visit.user.username}-invited`);
  }),
  page("people, none found", "adminPeople.title", (visit) =>
    openAdministration(visit, `/manage/admin/people?q=${visit.user.username}&show=blocked`),
  ),
  page("people, after an invitation", "adminPeople.title", async (visit) => {
    await hasInvited(visit);
    await openAdministration(visit, `/manage/admin/people?q=${visit.user.username}-invited&done=invited`);
  }),
  page("people, invite", "adminInvite.title", (visit) => openAdministration(visit, "/manage/admin/people/invite")),
  problem("people, invite with errors", 400, "adminInvite.title", async (visit) => {
    await openAdministration(visit, "/manage/admin/people/invite");
    const { page } = visit.anna;
    await page.locator("#given_name").fill(" ");
    await page.locator("#family_name").fill(" ");
    await page.locator("#email").fill("anna@office");
    await page.locator("#username").fill("!");
    await page.locator("#username").press("Enter");
    await page.locator("#given_name-error").waitFor();
  }),
];

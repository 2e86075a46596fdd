import { grantRole } from "#app/domain/role/grant.server.ts";
import { addUser } from "#app/domain/user/add.server.ts";
import { blockUser } from "#app/domain/user/block.server.ts";
import { createPasswordLink } from "#app/domain/user/links.server.ts";
import { setUser } from "#app/domain/user/set.server.ts";
import { giveKey, giveRecoveryCodes, giveTotp } from "#tests/support/factors.ts";
import type { Visit } from "./page-setup.ts";
import { type PageState, page } from "./page-state.ts";
import { seedSession } from "./session.ts";

/** Opens a page of the administration as a new administrator, who has just signed in with two factors. */
async function openAdministration(visit: Visit, path: string): Promise<void> {
  const { anna, installation } = visit;
  const { context, users, ...server } = installation.server;
  const administrator = await users.create({ displayName: "Helga Brandt" });
  await context.store.tx((store) =>
    grantRole({ ...context, store }, administrator, { role: "administrator", office: null }),
  );
  await giveTotp({ ...server, context }, administrator);
  await seedSession(installation, anna, administrator, { hasTwoFactors: true });
  await anna.page.goto(`${server.url}/manage/open?${new URLSearchParams({ to: path })}`);
  await anna.page.waitForURL(server.url + path);
}

/** Opens a page of the visitor. */
function openPerson(visit: Visit, action = ""): Promise<void> {
  return openAdministration(visit, `/manage/admin/people/${visit.user.id}${action}`);
}

/** Gives the visitor an office, a further group, two second factors, recovery codes and a session. */
async function hasMuch({ installation, user }: Visit): Promise<void> {
  const { server } = installation;
  const office = await server.groups.create({ name: `Bremen ${user.username}` });
  const team = await server.groups.create({ name: `Schadenregulierung ${user.username}` });
  await setUser(server.context, user.username, {
    groupName: office.name,
    addGroups: [team.name],
    phone: "+49 421 1234567",
    lastDay: "2099-12-31",
  });
  await giveTotp(server, user);
  await giveKey(server, user);
  await giveRecoveryCodes(server, user);
}

/** Opens the page that removes a new group, of which the visitor is a member. */
async function openGroupRemoval(visit: Visit): Promise<void> {
  const { installation, user } = visit;
  const group = await installation.server.groups.create({ name: user.username });
  await setUser(installation.server.context, user.username, { groupName: group.name });
  await openAdministration(visit, `/manage/admin/groups/${group.id}/remove`);
}

/** People of more pages than are linked. */
const MANY_PEOPLE = 130;

/** Opens a page of a search for new people, which has pages before and after it. */
async function openMiddlePage(visit: Visit): Promise<void> {
  const { context } = visit.installation.server;
  const familyName = visit.user.username;
  for (let number = 0; number < MANY_PEOPLE; number += 1) {
    await addUser(context, { username: `${familyName}.${number}`, displayName: `Anna ${familyName}`, email: null });
  }
  await openAdministration(visit, "/manage/admin/people");
  await visit.anna.page.goto(`${visit.installation.server.url}/manage/admin/people?q=${familyName}&page=2`);
}

/** Opens the page that refuses to remove the only second factor of a person with a link for a new password. */
async function openRefusedRemoval(visit: Visit): Promise<void> {
  const { server } = visit.installation;
  await giveTotp(server, visit.user);
  await createPasswordLink(server.context, visit.user.username);
  await openPerson(visit, "/factors/totp");
}

export const administrationStates: readonly PageState[] = [
  page("administration, person", null, async (visit) => {
    await hasMuch(visit);
    await openPerson(visit);
  }),
  page("administration, blocked person", null, async (visit) => {
    await blockUser(visit.installation.server.context, visit.user.username);
    await openPerson(visit);
  }),
  page("administration, invited person", null, async (visit) => {
    const { context } = visit.installation.server;
    const { displayName } = visit.user;
    const { id } = await addUser(context, {
      username: `invited.${visit.user.username}`,
      displayName,
      email: `invited.${visit.user.username}@office.example`,
    });
    await openPerson({ ...visit, user: { ...visit.user, id } });
  }),
  page("administration, people on many pages", "adminPeople.title", openMiddlePage),
  page("administration, remove a factor: refused", "adminChange.factor.heading", openRefusedRemoval),
  page("administration, block a person", "adminChange.block.heading", (visit) => openPerson(visit, "/block")),
  page("administration, last day", "adminChange.lastDay.heading", (visit) => openPerson(visit, "/last-day")),
  page("administration, remove a person", "adminChange.remove.heading", (visit) => openPerson(visit, "/remove")),
  page("administration, add a group", "adminGroups.add", (visit) =>
    openAdministration(visit, "/manage/admin/groups/add"),
  ),
  page("administration, remove a group", "adminGroups.remove", openGroupRemoval),
  page("administration, groups", "adminGroups.title", async (visit) => {
    const { groups, context } = visit.installation.server;
    const office = await groups.create({ name: `Bremen ${visit.user.username}` });
    await groups.create({ name: `Bestandsübertragung ${visit.user.username}` });
    await setUser(context, visit.user.username, { groupName: office.name });
    await openAdministration(visit, "/manage/admin/groups");
  }),
  page("administration, change a group", "adminGroups.edit", async (visit) => {
    const group = await visit.installation.server.groups.create({ name: visit.user.username });
    await openAdministration(visit, `/manage/admin/groups/${group.id}/edit`);
  }),
  page("administration, change the role", "adminChange.role.heading", (visit) => openPerson(visit, "/role")),
  page("administration, change the groups", "adminChange.groups.heading", async (visit) => {
    await visit.installation.server.groups.create({ name: `Bremen ${visit.user.username}` });
    await openPerson(visit, "/groups");
  }),
  page("administration, a group", null, async (visit) => {
    const { groups, context } = visit.installation.server;
    const group = await groups.create({ name: visit.user.displayName });
    await setUser(context, visit.user.username, { addGroups: [group.name] });
    await openAdministration(visit, `/manage/admin/groups/${group.id}`);
  }),
  page("administration, check an import", "adminImport.checkTitle", async (visit) => {
    const { page: opened, t } = visit.anna;
    await openAdministration(visit, "/manage/admin/people/import");
    const name = visit.user.username;
    const rows = [`new.${name};${name};new.${name}@office.example`, `bad.${name};${name};${name}`];
    const file = {
      name: `${name}.csv`,
      mimeType: "text/csv",
      buffer: Buffer.from(["username;display_name;email", ...rows].join("\n")),
    };
    await opened.locator("input[type=file]").setInputFiles(file);
    await opened.getByRole("button", { name: t("adminImport.check") }).click();
    await opened.getByRole("heading", { level: 1, name: t("adminImport.checkTitle") }).waitFor();
  }),
  page("administration, import", "adminImport.title", (visit) =>
    openAdministration(visit, "/manage/admin/people/import"),
  ),
  page("administration, activity", "adminActivity.title", async (visit) => {
    await setUser(visit.installation.server.context, visit.user.username, { phone: "+49 421 1234567" });
    await openAdministration(visit, "/manage/admin/activity");
    await visit.anna.page.goto(`${visit.installation.server.url}/manage/admin/activity?person=${visit.user.id}`);
  }),
  page("administration, give help", "adminHelp.newDevice.heading", async (visit) => {
    await giveTotp(visit.installation.server, visit.user);
    await openPerson(visit, "/help/new-device");
  }),
  page("administration, words of help", "adminHelp.given.heading", async (visit) => {
    const { page: opened, t } = visit.anna;
    await giveTotp(visit.installation.server, visit.user);
    await openPerson(visit, "/help/new-device");
    await opened.locator("input[name=proved]").check();
    await opened.getByRole("button", { name: t("adminHelp.submit") }).click();
    await opened.getByRole("heading", { level: 1, name: t("adminHelp.given.heading") }).waitFor();
  }),
];

import { findUser } from "#app/db/repositories/users.server.ts";
import type { HelpKind } from "#app/db/schema.server.ts";
import { giveHelp } from "#app/domain/help-link/give.server.ts";
import { grantRole } from "#app/domain/role/grant.server.ts";
import { giveTotp } from "#tests/support/factors.ts";
import type { Visit } from "./page-setup.ts";
import { type PageState, page, problem } from "./page-state.ts";
import { alertOf } from "./pages.ts";

const META = { address: "127.0.0.1", userAgent: "", requestId: "r" };

/** Opens the link of new help for the user. */
async function openHelp({ anna, installation, user }: Visit, kind: HelpKind) {
  const { server } = installation;
  const { context } = server;
  await giveTotp(server, user);
  const giver = await server.users.create();
  await context.store.tx((store) => grantRole({ ...context, store }, giver, { role: "administrator", office: null }));
  const { generation = 0 } = (await findUser(context.store, giver.id)) ?? {};
  const administrator = {
    ...{ userId: giver.id, username: giver.username, generation },
    ...({ role: "administrator", officeId: null } as const),
  };
  const given = await giveHelp(context, administrator, { ...META, personId: user.id, kind, hours: 1, language: "de" });
  if (given.kind !== "given") throw new Error(given.kind);
  await anna.page.goto(given.help.url);
}

export const helpStates: readonly PageState[] = [
  page("help, words", "help.words.title", async ({ anna, installation }) => {
    await anna.page.goto(`${installation.server.url}/help`);
  }),
  problem("help, wrong words", 401, "help.words.title", async ({ anna, installation }) => {
    await anna.page.goto(`${installation.server.url}/help`);
    await anna.page.locator("#username").fill("nobody");
    await anna.page.locator("#words").fill("one two three four five six");
    await anna.page.locator("#words").press("Enter");
    await alertOf(anna.page).waitFor();
  }),
  page("help, new device", "help.newDevice.title", (visit) => openHelp(visit, "new-device")),
  problem("help, wrong password", 401, "help.newDevice.title", async (visit) => {
    await openHelp(visit, "new-device");
    await visit.anna.page.locator("#password").fill("not the password");
    await visit.anna.page.locator("#password").press("Enter");
    await alertOf(visit.anna.page).waitFor();
  }),
  page("help, new password", "help.newPassword.title", (visit) => openHelp(visit, "new-password")),
  page("help, done", "help.done.newDevice", async ({ anna, installation }) => {
    await anna.page.goto(`${installation.server.url}/help/status?status=success&done=new-device`);
  }),
  problem("help, invalid", 400, "help.invalid.title", async ({ anna, installation }) => {
    await anna.page.goto(`${installation.server.url}/help/status?status=error-token`);
  }),
];

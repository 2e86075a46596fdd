import { grantRole } from "#app/domain/role/grant.server.ts";
import { giveTotp } from "#tests/support/factors.ts";
import type { Visit } from "./page-setup.ts";
import { seedSettings } from "./session.ts";

/** Opens a page of the administration for Anna, as an administrator who has just signed in with two factors. */
export async function openAdministration(visit: Visit, to: string): Promise<void> {
  const { anna, installation, user } = visit;
  const { context, url } = installation.server;
  await context.store.tx((store) => grantRole({ ...context, store }, user, { role: "administrator", office: null }));
  await giveTotp(installation.server, user);
  await seedSettings(installation, anna, user, { hasTwoFactors: true });
  await anna.page.goto(url + to);
}

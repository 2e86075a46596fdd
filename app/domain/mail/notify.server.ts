import { findUser } from "#app/db/repositories/users.server.ts";
import type { MailTemplate } from "#app/mail/templates.server.ts";
import { type MailDeps, type QueuedMail, queueMail } from "./queue.server.ts";

/** Queues a mail to the user with this id; does nothing if the user does not exist. */
export async function notifyUser(deps: MailDeps, userId: string, mail: Omit<QueuedMail, "to">): Promise<void> {
  const to = await findUser(deps.store, userId);
  if (to) await queueMail(deps, { ...mail, to });
}

/** Dependencies of `notifyAdministrator`. `adminMail`: ADMIN_MAIL, null if it is not set. */
export type AdministratorMailDeps = MailDeps & { config: { adminMail: string | null } };

/** Queues a mail to ADMIN_MAIL, if configured. */
export async function notifyAdministrator(deps: AdministratorMailDeps, template: MailTemplate): Promise<void> {
  const { adminMail } = deps.config;
  if (adminMail === null) return;
  await queueMail(deps, { to: { username: "", displayName: adminMail, email: adminMail, locale: null }, template });
}

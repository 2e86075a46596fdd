import { findUser } from "#app/db/repositories/users.server.ts";
import type { MailTemplate } from "#app/mail/templates.server.ts";
import { type MailDeps, type QueuedMail, queueMail } from "./queue.server.ts";

/** Queues a mail to the user with this id; does nothing if the user does not exist. */
export async function notifyUser(parts: MailDeps, userId: string, mail: Omit<QueuedMail, "to">): Promise<void> {
  const to = await findUser(parts.store, userId);
  if (to) await queueMail(parts, { ...mail, to });
}

export type AdministratorMailDeps = MailDeps & { config: { adminMail: string | null } };

/** Queues a mail to ADMIN_MAIL, if configured. */
export async function notifyAdministrator(parts: AdministratorMailDeps, template: MailTemplate): Promise<void> {
  const { adminMail } = parts.config;
  if (adminMail === null) return;
  await queueMail(parts, { to: { username: "", displayName: adminMail, email: adminMail, locale: null }, template });
}

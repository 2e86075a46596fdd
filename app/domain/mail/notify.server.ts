import { findUser } from "#app/db/repositories/users.server.ts";
import type { MailTemplate } from "#app/mail/templates.server.ts";
import { type MailDeps, type QueuedMail, queueMail } from "./queue.server.ts";

/** Tells a user by mail what happened to the account; for callers that have only the id. */
export async function notifyUser(parts: MailDeps, userId: string, mail: Omit<QueuedMail, "to">): Promise<void> {
  const to = await findUser(parts.store, userId);
  if (to) await queueMail(parts, { ...mail, to });
}

export type AdministratorMailDeps = MailDeps & { config: { adminMail: string | null } };

/** Sends a mail to ADMIN_MAIL, if there is one. */
export async function notifyAdministrator(parts: AdministratorMailDeps, template: MailTemplate): Promise<void> {
  const { adminMail } = parts.config;
  if (adminMail === null) return;
  await queueMail(parts, { to: { username: "", displayName: adminMail, email: adminMail, locale: null }, template });
}

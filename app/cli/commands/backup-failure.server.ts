import { explainError } from "#app/cli/output/explain-error.server.ts";
import type { Config } from "#app/config/config.ts";
import { createBaseContext, createLog } from "#app/context.server.ts";
import { describeError } from "#app/domain/audit/describe-error.server.ts";
import { queueMail } from "#app/domain/mail/queue.server.ts";
import { takeIntoService } from "#app/restore/take-into-service.server.ts";

/** Puts a mail to ADMIN_MAIL into the outbox; a database that cannot take it is a line in the log. Never throws. */
export async function tellBackupFailure(config: Config, error: unknown): Promise<void> {
  const { adminMail } = config;
  if (adminMail === null) return;
  const log = createLog(config.logLevel);
  try {
    const context = await createBaseContext({ config, log, epochOf: takeIntoService });
    try {
      const to = { username: "", displayName: adminMail, email: adminMail, locale: null };
      const reason = explainError(error).lines.join(" ");
      await queueMail(context, { to, template: { name: "backup-failed", reason } });
    } finally {
      await context.store.close();
    }
  } catch (failure) {
    log.error({ error: describeError(failure) }, "nobody could be told by mail that the backup failed");
  }
}

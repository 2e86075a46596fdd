import { listOpenMails } from "#app/db/repositories/mail-outbox.server.ts";
import { readLogoutQueue } from "#app/domain/backchannel-logout/state.server.ts";
import { HOUR_SECONDS } from "#app/durations.ts";
import { MAIL_ADVICE } from "#app/mail/advice.ts";
import { checkMailServer } from "#app/mail/transport.server.ts";
import { type CheckResult, type DatabaseCheck, failed, ok, warning } from "./check.server.ts";

/** A running server delivers within seconds and makes four attempts in the first hour. */
const MAX_WAIT_SECONDS = HOUR_SECONDS;
const MAX_MAILS = 1000;

type Context = Parameters<DatabaseCheck["run"]>[0];

/** Checks of the two delivery queues, back-channel logouts and mails, and of the mail server. */
export const DELIVERY_CHECKS: readonly DatabaseCheck[] = [
  { name: "back-channel logouts", run: checkLogouts },
  { name: "mail server", run: checkSmtp },
  { name: "mail queue", run: checkMailQueue },
];

async function checkLogouts(context: Context): Promise<CheckResult> {
  const { waiting, oldestSeconds, failed: failures } = await readLogoutQueue(context);
  const found = `${waiting} are waiting, the oldest for ${Math.floor(oldestSeconds / 60)} minutes; ${failures} failed in the last 24 hours`;
  if (failures === 0 && oldestSeconds <= MAX_WAIT_SECONDS) return ok(found);
  return warning(
    found,
    "Some clients were not notified of ended sessions. See client and reason in the log: backchannel-logout.postponed, backchannel-logout.failed.",
  );
}

async function checkSmtp({ config, clock }: Context): Promise<CheckResult> {
  const { smtpUrl, mailOauth } = config;
  if (smtpUrl === null) {
    return warning(
      "SMTP_URL is not set: mails are written to files and not sent",
      "Set SMTP_URL, then run gatehouse mail test ADDRESS.",
    );
  }
  const problem = await checkMailServer({ smtpUrl, mailOauth }, clock);
  if (problem === null) return ok(`${new URL(smtpUrl).host} accepts ${mailOauth ? "the token" : "mail"}`);
  return failed(problem.reason, `${MAIL_ADVICE[problem.stage]} gatehouse mail test ADDRESS prints each step.`);
}

async function checkMailQueue({ store, clock }: Context): Promise<CheckResult> {
  const open = await listOpenMails(store, MAX_MAILS);
  const failures = open.filter(({ failedAt }) => failedAt !== null).length;
  const late = open.filter(({ failedAt, createdAt }) => failedAt === null && isLate(createdAt, clock.now())).length;
  if (failures === 0 && late === 0) return ok(`${open.length} mails are waiting`);
  return warning(
    `${failures} mails failed permanently in the last week, ${late} have been waiting for more than an hour`,
    "List them: gatehouse mail queue",
  );
}

function isLate(createdAt: Date, now: Date): boolean {
  return now.getTime() - createdAt.getTime() > MAX_WAIT_SECONDS * 1000;
}

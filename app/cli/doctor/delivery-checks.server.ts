import { countFailedMails, findOldestError } from "#app/db/repositories/mail-outbox.server.ts";
import { readLogoutQueue } from "#app/domain/backchannel-logout/state.server.ts";
import { readQueueState } from "#app/domain/mail/queue.server.ts";
import { DAY_MS, HOUR_SECONDS } from "#app/durations.ts";
import { MAIL_ADVICE } from "#app/mail/advice.ts";
import { checkMailServer } from "#app/mail/transport.server.ts";
import { type CheckResult, type DatabaseCheck, failed, ok, skipped, warning } from "./check.server.ts";

/** A running server delivers within seconds and makes four attempts in the first hour. */
const MAX_WAIT_SECONDS = HOUR_SECONDS;

type Context = Parameters<DatabaseCheck["run"]>[0];

/** Checks of the two delivery queues, back-channel logouts and mails, and of the mail server. */
export const DELIVERY_CHECKS: readonly DatabaseCheck[] = [
  { name: "back-channel logouts", run: checkLogouts },
  { name: "mail server", run: checkSmtp },
  { name: "mail credential", run: checkCredential },
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

/** A new secret needs an administrator of the tenant. */
const CREDENTIAL_DAYS = 30;

function checkCredential({ config: { mailOauth }, clock }: Context): CheckResult {
  if (mailOauth === null) return skipped("the mail server is used without a token");
  const { kind, endsAt } = mailOauth.credential;
  if (endsAt === null) {
    // Keys of service accounts do not end by themselves.
    if (kind === "service account") return ok("the key of the service account has no known end");
    const fix = "Set MAIL_OAUTH_SECRET_EXPIRES to the date that the provider shows, so that doctor warns before it.";
    return warning("the end of the client secret is unknown", fix);
  }
  const days = Math.floor((endsAt.getTime() - clock.now().getTime()) / DAY_MS);
  const end = endsAt.toISOString().slice(0, 10);
  if (days >= CREDENTIAL_DAYS) return ok(`the ${kind} ends on ${end}`);
  const fix = `Create a new ${kind} now, while the old one is valid; set ${CREDENTIAL_KEYS[kind]}, and restart the server.`;
  return days < 0
    ? failed(`the ${kind} ended on ${end}`, fix)
    : warning(`the ${kind} ends in ${days} days, on ${end}`, fix);
}

const CREDENTIAL_KEYS = {
  secret: "MAIL_OAUTH_CLIENT_SECRET and MAIL_OAUTH_SECRET_EXPIRES",
  certificate: "MAIL_OAUTH_CERTIFICATE",
  "service account": "MAIL_OAUTH_SERVICE_ACCOUNT and MAIL_OAUTH_SECRET_EXPIRES",
} as const;

async function checkMailQueue(context: Context): Promise<CheckResult> {
  const { waiting, oldestSeconds } = await readQueueState(context);
  if (oldestSeconds > MAX_WAIT_SECONDS) {
    const found = `the oldest of ${waiting} waiting mails has waited for ${Math.floor(oldestSeconds / 60)} minutes`;
    const cause = await findOldestError(context.store);
    if (cause === null) return failed(`${found}, without an attempt`, "Check that a server is running, and its log.");
    return warning(
      `${found} (${cause})`,
      "Remove the cause, then run gatehouse mail retry. List them: gatehouse mail queue",
    );
  }
  const failures = await countFailedMails(context.store);
  if (failures === 0) return ok(`${waiting} mails are waiting`);
  const fix = "List them with gatehouse mail queue; send them again with gatehouse mail retry.";
  return warning(`${failures} mails failed in the last week`, fix);
}

import { listClients } from "#app/db/repositories/clients.server.ts";
import { getInstance } from "#app/db/repositories/instance.server.ts";
import { listOpenMails } from "#app/db/repositories/mail-outbox.server.ts";
import { countKeysOfOtherRp } from "#app/db/repositories/security-key-owners.server.ts";
import { redirectUriKind } from "#app/domain/client/redirect-uri.ts";
import { findScope } from "#app/domain/scope/scopes.ts";
import { checkMailServer } from "#app/mail/check-server.server.ts";
import { type CheckResult, type DatabaseCheck, failed, ok, skipped, warning } from "./check.server.ts";

const LATE_MS = 60 * 60 * 1000;
const MAX_MAILS = 1000;

type Context = Parameters<DatabaseCheck["run"]>[0];

/** The people's mails, keys and applications. */
export const OFFICE_CHECKS: readonly DatabaseCheck[] = [
  { name: "mail server", run: checkSmtp },
  { name: "mail queue", run: checkQueue },
  { name: "address of this database", run: checkAddress },
  { name: "security keys", run: checkSecurityKeys },
  { name: "scopes of applications", run: checkScopes },
  { name: "addresses of applications", run: checkRedirects },
];

async function checkSmtp({ config }: Context): Promise<CheckResult> {
  if (config.smtpUrl === null) {
    return warning(
      "SMTP_URL is not set: mails become files, and reach nobody",
      "Set SMTP_URL, then gatehouse mail test.",
    );
  }
  const problem = await checkMailServer(config.smtpUrl);
  if (problem === null) return ok(`${new URL(config.smtpUrl).host} takes our mail`);
  return failed(`${problem.reason}`, "gatehouse mail test ADDRESS tells each step, and what to do.");
}

async function checkQueue({ store, clock }: Context): Promise<CheckResult> {
  const open = await listOpenMails(store, MAX_MAILS);
  const given = open.filter(({ failedAt }) => failedAt !== null).length;
  const late = open.filter(({ failedAt, createdAt }) => failedAt === null && isLate(createdAt, clock.now())).length;
  if (given === 0 && late === 0) return ok(`${open.length} wait`);
  return warning(
    `${given} were given up in the last week, ${late} wait for more than an hour`,
    "gatehouse mail queue names them.",
  );
}

function isLate(createdAt: Date, now: Date): boolean {
  return now.getTime() - createdAt.getTime() > LATE_MS;
}

async function checkAddress({ store, config }: Context): Promise<CheckResult> {
  const { issuer } = await getInstance(store);
  if (issuer === config.issuer) return ok(`it was made for ${issuer}`);
  const fix =
    "gatehouse doctor --plan issuer=… names whom it concerns; the server takes the new one over when it starts.";
  return warning(`it was in service as ${issuer}, and ISSUER is ${config.issuer} now`, fix);
}

async function checkSecurityKeys({ store, config }: Context): Promise<CheckResult> {
  const rpId = new URL(config.issuer).hostname;
  const count = await countKeysOfOtherRp(store, rpId);
  if (count === 0) return ok(`all of them are bound to ${rpId}`);
  return failed(
    `${count} are bound to another host than ${rpId} and work no more`,
    `gatehouse doctor --plan rpId=${rpId} names their owners.`,
  );
}

async function checkScopes({ store }: Context): Promise<CheckResult> {
  const clients = await listClients(store);
  if (clients.length === 0) return skipped("there are no applications yet");
  const wrong = clients.flatMap(({ id, scopes }) => {
    const unknown = scopes.filter((scope) => findScope(scope) === null);
    return unknown.length > 0 ? [`${id}: ${unknown.join(" ")}`] : [];
  });
  if (wrong.length === 0) return ok(`${clients.length} applications ask for known scopes`);
  return failed(
    `unknown scopes (${wrong.join("; ")})`,
    "gatehouse client set CLIENT --scope … with those that are known.",
  );
}

async function checkRedirects({ store }: Context): Promise<CheckResult> {
  const wrong = (await listClients(store)).flatMap(({ id, redirectUris }) =>
    redirectUris.filter((uri) => redirectUriKind(uri) === null).map((uri) => `${id}: ${uri}`),
  );
  if (wrong.length === 0) return ok("all may be registered");
  return failed(wrong.join("; "), "gatehouse client set CLIENT --redirect-uri … with https addresses.");
}

import { listClients } from "#app/db/repositories/clients.server.ts";
import { getInstance } from "#app/db/repositories/instance.server.ts";
import { countKeysOfOtherRp } from "#app/db/repositories/webauthn-credentials.server.ts";
import { redirectUriKind } from "#app/domain/client/redirect-uri.ts";
import { findScope } from "#app/domain/scope/scopes.ts";
import { type CheckResult, type DatabaseCheck, failed, ok, skipped, warning } from "./check.server.ts";

type Context = Parameters<DatabaseCheck["run"]>[0];

/** Checks that stored data match the configuration and the program: issuer, rpId, scopes and redirect URIs. */
export const CONSISTENCY_CHECKS: readonly DatabaseCheck[] = [
  { name: "address of this database", run: checkIssuer },
  { name: "security keys", run: checkSecurityKeys },
  { name: "scopes of applications", run: checkScopes },
  { name: "addresses of applications", run: checkRedirectUris },
];

async function checkIssuer({ store, config }: Context): Promise<CheckResult> {
  const { issuer } = await getInstance(store);
  if (issuer === config.issuer) return ok(`the issuer is ${issuer}`);
  return warning(
    `the issuer of the database is ${issuer}, but ISSUER is ${config.issuer}`,
    "List the affected users and clients: gatehouse doctor --plan issuer=…. The server applies the new ISSUER when it starts.",
  );
}

async function checkSecurityKeys({ store, config }: Context): Promise<CheckResult> {
  const rpId = new URL(config.issuer).hostname;
  const count = await countKeysOfOtherRp(store, rpId);
  if (count === 0) return ok(`all are bound to ${rpId}`);
  return failed(
    `${count} are bound to another host than ${rpId} and do not work`,
    `List their owners: gatehouse doctor --plan rpId=${rpId}`,
  );
}

async function checkScopes({ store }: Context): Promise<CheckResult> {
  const clients = await listClients(store);
  if (clients.length === 0) return skipped("there are no clients yet");
  const wrong = clients.flatMap(({ id, scopes }) => {
    const unknown = scopes.filter((scope) => findScope(scope) === null);
    return unknown.length > 0 ? [`${id}: ${unknown.join(" ")}`] : [];
  });
  if (wrong.length === 0) return ok(`the scopes of ${clients.length} clients are known`);
  return failed(`unknown scopes (${wrong.join("; ")})`, "Set known scopes only: gatehouse client set CLIENT --scope …");
}

async function checkRedirectUris({ store }: Context): Promise<CheckResult> {
  const wrong = (await listClients(store)).flatMap(({ id, redirectUris }) =>
    redirectUris.filter((uri) => redirectUriKind(uri) === null).map((uri) => `${id}: ${uri}`),
  );
  if (wrong.length === 0) return ok("all redirect URIs are valid");
  return failed(
    `invalid redirect URIs (${wrong.join("; ")})`,
    "Set https URIs: gatehouse client set CLIENT --redirect-uri …",
  );
}

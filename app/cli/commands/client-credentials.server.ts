import type { Output } from "#app/cli/output/output.server.ts";
import { facts } from "#app/cli/output/table.ts";
import type { ClientCredentials } from "#app/domain/client/add.server.ts";

/** Prints what an application is set up with, for people. */
export function printCredentials(output: Output, { clientId, clientSecret }: ClientCredentials): void {
  const secret = clientSecret === null ? [] : [["client_secret", clientSecret] as const];
  output.lines(facts([["client_id", clientId], ...secret]));
  if (clientSecret !== null) output.note("Keep the secret now: it is not shown again.");
}

import { z } from "zod";
import type { Administrator } from "./answers.server.ts";
import type { Program } from "./service-user.server.ts";

/** Result of `gatehouse administrator`. */
const stateSchema = z.strictObject({
  kind: z.enum(["none", "waiting", "ready"]),
  username: z.string().nullable(),
  link_expires_at: z.string().nullable(),
  url: z.string().nullable(),
});

/** State of the first administrator, as of `findFirstAdministrator`. `url` is a link that was just created. */
export type AdministratorState = {
  kind: "none" | "waiting" | "ready";
  username: string;
  linkExpiresAt: Date | null;
  url: string | null;
};

/** Returns the state of the first administrator, who is added first if there is none. */
export function ensureAdministrator(
  program: Program,
  administrator: Administrator | null,
): Promise<AdministratorState> {
  if (administrator === null) return run(program, []);
  const { username, displayName, email } = administrator;
  return run(program, ["--username", username, "--display-name", displayName, "--email", email]);
}

/** Creates a link for the first administrator; with "missing" only if none is valid. */
export function createLink(program: Program, which: "missing" | "new"): Promise<AdministratorState> {
  return run(program, ["--link", which]);
}

async function run(program: Program, args: readonly string[]): Promise<AdministratorState> {
  const output = await program.run(["administrator", "--json", ...args]);
  const { kind, username, link_expires_at: end, url } = stateSchema.parse(JSON.parse(output));
  return { kind, username: username ?? "", linkExpiresAt: end === null ? null : new Date(end), url };
}

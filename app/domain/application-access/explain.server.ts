import { listGroupNamesOfClients } from "#app/db/repositories/client-access.server.ts";
import { listClients } from "#app/db/repositories/clients.server.ts";
import type { Store } from "#app/db/store.server.ts";

/**
 * An application, and why members of some groups may use it. `everyone`: all users may; `through`: names of those of the
 * groups whose members may; `allowed`: names of all groups whose members may.
 */
export type ExplainedApplication = {
  id: string;
  name: string;
  mayUse: boolean;
  everyone: boolean;
  through: readonly string[];
  allowed: readonly string[];
};

/**
 * Explains for each application, by name, if a member of these groups (by name) may use it, as the sign-in policy decides.
 * Resource servers, which sign no users in, are left out.
 */
export async function explainAccess(
  { store }: { store: Store },
  groups: readonly string[],
): Promise<ExplainedApplication[]> {
  const namesOf = await listGroupNamesOfClients(store);
  const clients = (await listClients(store)).filter(({ redirectUris }) => redirectUris.length > 0);
  const explained = clients.map(({ id, name, access }) => {
    const allowed = namesOf.get(id) ?? [];
    const through = allowed.filter((group) => groups.includes(group));
    const everyone = access === "everyone";
    return { id, name, mayUse: everyone || through.length > 0, everyone, through, allowed };
  });
  return explained.toSorted((one, other) => one.name.localeCompare(other.name));
}

/** Returns the names of applications that a user loses and gains who has the groups `after` in place of `before`. */
export async function compareAccess(
  context: { store: Store },
  { before, after }: { before: readonly string[]; after: readonly string[] },
): Promise<{ lost: string[]; gained: string[] }> {
  const was = new Map((await explainAccess(context, before)).map(({ id, mayUse }) => [id, mayUse]));
  const now = await explainAccess(context, after);
  const namesOf = (wanted: boolean) =>
    now.filter(({ id, mayUse }) => mayUse === wanted && was.get(id) !== wanted).map(({ name }) => name);
  return { lost: namesOf(false), gained: namesOf(true) };
}

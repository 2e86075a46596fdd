import { findUser, findUserByUsername } from "#app/db/repositories/users.server.ts";
import type { User } from "#app/db/schema.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { DomainError } from "#app/domain/base/errors.ts";
import { printable } from "#app/domain/base/printable.ts";
import { parseUsername } from "#app/domain/username/canonical.ts";

/** Finds a user by name, in any spelling. Throws DomainError "user not found". */
export async function getUserByName(store: Store, username: string): Promise<User> {
  const name = parseUsername(username);
  const user = name.ok ? await findUserByUsername(store, name.canonical) : null;
  if (!user) throw new DomainError("user not found", { detail: printable(username) });
  return user;
}

/** Finds a user by id. Throws DomainError "user not found". */
export async function getUserById(store: Store, id: string): Promise<User> {
  const user = await findUser(store, id);
  if (!user) throw new DomainError("user not found", { detail: printable(id) });
  return user;
}

import { findUser } from "#app/db/repositories/users.server.ts";
import type { User } from "#app/db/schema.server.ts";
import type { Store } from "#app/db/store.server.ts";
import type { GrantedRole } from "#app/domain/role/role.ts";
import { type Administrator, covers, mayChange } from "./administrator.ts";
import { findRole, isStillAdministrator } from "./find.server.ts";

/**
 * A person as an administrator sees it. `granted`: the person's role. `mayChange`: false for the administrator's own
 * account, and for a person of a higher rank.
 */
export type Person = { user: User; granted: GrantedRole | null; mayChange: boolean };

/** Result of `requirePerson`; "not found" also of a person of another office, "not allowed" if `mayChange` is false. */
export type PersonResult =
  | { kind: "found"; user: User; granted: GrantedRole | null }
  | { kind: "not found" }
  | { kind: "not allowed" };

/** Returns the person with this id for a page; null for an unknown person, and for one whom the role does not cover. */
export async function findPerson(store: Store, administrator: Administrator, id: string): Promise<Person | null> {
  const user = await findUser(store, id);
  if (!user || !covers(administrator, user)) return null;
  const granted = await findRole({ store }, id);
  return { user, granted, mayChange: mayChange(administrator, user, granted) };
}

/**
 * Returns the person whom an administrator is about to change. Call it in the transaction of the change, before its
 * first write, and after `lockMemberships` if the change takes that lock. Locks the roles until the transaction ends, and
 * checks those of both after it: no user gains or loses a role, and no user is blocked or removed, until then.
 */
export async function requirePerson(tx: Store, administrator: Administrator, id: string): Promise<PersonResult> {
  await tx.lock("roles");
  if (!(await isStillAdministrator(tx, administrator))) return { kind: "not found" };
  const person = await findPerson(tx, administrator, id);
  if (!person) return { kind: "not found" };
  const { user, granted } = person;
  return person.mayChange ? { kind: "found", user, granted } : { kind: "not allowed" };
}

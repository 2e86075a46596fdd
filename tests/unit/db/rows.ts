import { z } from "zod";
import { createUser } from "#app/db/repositories/users.server.ts";
import type { NewUser, User } from "#app/db/schema.server.ts";
import type { Store } from "#app/db/store.server.ts";
import type { SealedSecret } from "#app/ports.ts";

const sealedSecret = z.custom<SealedSecret>();

/** Returns a fake sealed secret, for tests that never open it. */
export function sealed(text: string): SealedSecret {
  return sealedSecret.parse(text);
}

export const now = new Date("2026-03-04T05:06:07.089Z");

/** Returns `now` plus `ms`. */
export function at(ms: number): Date {
  return new Date(now.getTime() + ms);
}

/** Stores a user with this name. */
export function storedUser(store: Store, name: string, fields: Partial<NewUser> = {}): Promise<User> {
  const usernameCanonical = name.toLowerCase();
  return createUser(store, {
    id: `id of ${usernameCanonical}`,
    username: name,
    usernameCanonical,
    displayName: name,
    createdAt: now,
    updatedAt: now,
    ...fields,
  });
}

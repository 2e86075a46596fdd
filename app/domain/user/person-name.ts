import type { User } from "#app/db/schema.server.ts";

/**
 * Returns the name of a person in a list that is sorted by names: "family name, given name", as `users.sort_name` sorts
 * it, or the display name if one of both is missing. Everywhere else a person has the display name.
 */
export function listName({
  displayName,
  givenName,
  familyName,
}: Pick<User, "displayName" | "givenName" | "familyName">): string {
  return givenName && familyName ? `${familyName}, ${givenName}` : displayName;
}

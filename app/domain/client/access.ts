/** To whom a client is open: to all users, or to the members of the groups of these names. */
type Access = { access: "everyone" | "groups"; groups: readonly string[] };

/** Describes for administrators to whom a client is open: "everyone", "groups North, South", or "no group". */
export function describeAccess({ access, groups }: Access): string {
  if (access === "everyone") return "everyone";
  if (groups.length === 0) return "no group";
  return `${groups.length === 1 ? "group" : "groups"} ${groups.join(", ")}`;
}

/** Returns true if no user may use the client. */
export function isClosed({ access, groups }: Access): boolean {
  return access === "groups" && groups.length === 0;
}

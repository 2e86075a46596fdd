import { Provider } from "oidc-provider";
import type { GrantRow, TokenRows } from "#app/db/repositories/oidc-records.server.ts";
import type { Client, OidcRecord, User } from "#app/db/schema.server.ts";

/** A user, and whether a group of the user requires a second factor, as far as it has been read. */
type KnownUser = User & { isMfaRequiredOfUser?: boolean };

/** The rows that one statement reads together, although oidc-provider asks for them one after the other. */
type Rows = { Client: Client; Grant: GrantRow; Interaction: OidcRecord; Tokens: Promise<TokenRows[]>; User: KnownUser };

const rowsOfRequests = new WeakMap<object, Map<string, unknown>>();

/** Keeps a row for the next `takeRow` of the running request to oidc-provider; outside of one, does nothing. */
export function keepRow<Kind extends keyof Rows>(kind: Kind, id: string, row: Rows[Kind]): void {
  const { ctx } = Provider;
  if (!ctx) return;
  const rows = rowsOfRequests.get(ctx) ?? new Map<string, unknown>();
  rowsOfRequests.set(ctx, rows.set(`${kind}:${id}`, row));
}

/** Returns a kept row once, so that a second look in the same request reads the database. */
export function takeRow<Kind extends keyof Rows>(kind: Kind, id: string): Rows[Kind] | undefined {
  const rows = Provider.ctx && rowsOfRequests.get(Provider.ctx);
  const key = `${kind}:${id}`;
  const row = rows?.get(key);
  rows?.delete(key);
  // `keepRow` stores rows of this type under this kind.
  return row as Rows[Kind] | undefined;
}

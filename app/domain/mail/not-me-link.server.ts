import type { Config } from "#app/config/config.ts";
import { findOneTimeToken, issueOneTimeToken } from "#app/db/repositories/one-time-tokens.server.ts";
import { findUser } from "#app/db/repositories/users.server.ts";
import type { User } from "#app/db/schema.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { hashToken } from "#app/domain/secret/token-hash.server.ts";
import { DAY_MS, HOUR_MS } from "#app/durations.ts";
import type { Clock, Random } from "#app/ports.ts";

/** Lifetime of a link. Keep in step with docs/security.md. */
export const NOT_ME_DAYS = 7;

/** Dependencies of issuing a link. Inside a transaction, pass the transaction's store. */
type LinkDeps = { store: Store; clock: Clock; random: Random; config: Pick<Config, "issuer"> };

/**
 * Issues a single-use link that ends all access to the account, and returns its URL; never log it. It is not bound to
 * the user's generation, because an attacker could invalidate it by a change; the links of other mails stay valid.
 */
export async function issueNotMeLink(deps: LinkDeps, userId: string): Promise<string> {
  const token = await issue(deps, { userId, slot: null, lifetimeMs: NOT_ME_DAYS * DAY_MS });
  const url = new URL("/login/not-me", deps.config.issuer);
  url.searchParams.set("not_me_token", token);
  return url.href;
}

/**
 * Issues a token like that of a link, for the user in the settings, whose earlier token from the settings it replaces.
 * Valid as long as the cookie that keeps it.
 */
export async function issueNotMeToken(deps: Omit<LinkDeps, "config">, userId: string): Promise<string> {
  return issue(deps, { userId, slot: userId, lifetimeMs: HOUR_MS });
}

async function issue(
  { store, clock, random }: Omit<LinkDeps, "config">,
  { userId, slot, lifetimeMs }: { userId: string; slot: string | null; lifetimeMs: number },
): Promise<string> {
  const token = random.token();
  const createdAt = clock.now();
  const expiresAt = new Date(createdAt.getTime() + lifetimeMs);
  const fields = { userId, payload: {}, createdAt, expiresAt };
  await issueOneTimeToken(store, { kind: "not-me", slot, tokenHash: hashToken(token), ...fields });
  return token;
}

/** Returns the user of a link, without consuming it. Null if it is unknown, used or expired, or the user is blocked. */
export async function findUserOfNotMeLink(
  { store, clock }: Pick<LinkDeps, "store" | "clock">,
  notMeToken: string,
): Promise<User | null> {
  const presented = { kind: "not-me", tokenHash: hashToken(notMeToken), now: clock.now() } as const;
  const token = await findOneTimeToken(store, presented);
  const user = token?.userId ? await findUser(store, token.userId) : null;
  return user?.status === "active" ? user : null;
}

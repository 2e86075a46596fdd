import { z } from "zod";
import type { Config } from "#app/config/config.ts";
import {
  findOneTimeToken,
  findOneTimeTokenOfSlot,
  issueOneTimeToken,
  removeOneTimeTokensOfUser,
} from "#app/db/repositories/one-time-tokens.server.ts";
import { findUser } from "#app/db/repositories/users.server.ts";
import type { OneTimeToken, User } from "#app/db/schema.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { hashToken } from "#app/domain/secret/token-hash.server.ts";
import { DAY_MS, MINUTE_MS } from "#app/durations.ts";
import type { Clock, Random, TokenHash } from "#app/ports.ts";

/** Lifetime of an administrator's link, which works at once. */
export const FACTOR_RESET_MINUTES = 60;

/** Lifetime of a link from /mfa/lost after its delay; covers a weekend or a few days off. */
const LOST_LINK_DAYS = 7;

/** Dependencies of issuing a link. Inside a transaction, pass the transaction's store. */
export type LinkDeps = { store: Store; clock: Clock; random: Random; config: Pick<Config, "issuer"> };

/** A link for a mail or a terminal; must not be logged. `tokenHash`: the key of its database row. */
export type FactorResetLink = { url: string; tokenHash: TokenHash; expiresAt: Date };

const payloadSchema = z.object({ worksFrom: z.coerce.date().nullable() });

/**
 * Issues a single-use link that removes all second factors of the user, and invalidates an earlier one. It is bound
 * to the user's generation: a change of the password, user name or factors, or a block, invalidates it.
 * @param worksFrom start of validity; null for an administrator's link, which works at once and invalidates stop links
 */
export async function issueFactorReset(
  { store, clock, random, config }: LinkDeps,
  { id: userId, generation }: User,
  worksFrom: Date | null,
): Promise<FactorResetLink> {
  const token = random.token();
  const tokenHash = hashToken(token);
  const createdAt = clock.now();
  const expiresAt = worksFrom
    ? lostLinkEnd(worksFrom)
    : new Date(createdAt.getTime() + FACTOR_RESET_MINUTES * MINUTE_MS);
  const fields = { payload: { worksFrom: worksFrom?.toISOString() ?? null }, createdAt, expiresAt };
  await issueOneTimeToken(store, { kind: "mfa-reset", slot: userId, tokenHash, userId, generation, ...fields });
  if (worksFrom === null) await removeOneTimeTokensOfUser(store, userId, ["mfa-reset-stop"]);
  const url = new URL("/mfa-reset/reset-form", config.issuer);
  url.searchParams.set("reset_token", token);
  return { url: url.href, tokenHash, expiresAt };
}

/** Returns the expiry of a link from /mfa/lost that works from `worksFrom`. */
export function lostLinkEnd(worksFrom: Date): Date {
  return new Date(worksFrom.getTime() + LOST_LINK_DAYS * DAY_MS);
}

/** Validity period of a link. `from`: null for an administrator's link, which works at once. */
export type LinkWindow = { from: Date | null; until: Date };

/** A valid link and its user. */
export type FactorReset = { user: User; tokenHash: TokenHash; window: LinkWindow };

/** Result of `findFactorReset`. */
export type FoundReset =
  | { kind: "found"; reset: FactorReset }
  /** The delay has not ended. */
  | { kind: "too-early"; window: LinkWindow }
  /** The token is unknown, used, stopped, replaced or expired, or the user's generation or status changed. */
  | { kind: "error-token" };

/** Finds the link of a token, without consuming it. */
export async function findFactorReset(
  { store, clock }: Pick<LinkDeps, "store" | "clock">,
  resetToken: string,
): Promise<FoundReset> {
  const tokenHash = hashToken(resetToken);
  const token = await findOneTimeToken(store, { kind: "mfa-reset", tokenHash, now: clock.now() });
  const user = token?.userId ? await findUser(store, token.userId) : null;
  if (!token || user?.status !== "active" || user.generation !== token.generation) return { kind: "error-token" };
  const worksFrom = worksFromOf(token);
  const window = { from: worksFrom, until: token.expiresAt };
  if (worksFrom !== null && worksFrom > clock.now()) return { kind: "too-early", window };
  return { kind: "found", reset: { user, tokenHash, window } };
}

/**
 * Returns the validity period of the open reset link of the user of a pending sign-in, or null if there is none, or the
 * sign-in has ended or belongs to another browser. `uid`: the engine's interaction.
 */
export async function findRequestedWindow(
  { store, clock }: Pick<LinkDeps, "store" | "clock">,
  { uid, browser }: { uid: string; browser: string },
): Promise<LinkWindow | null> {
  const now = clock.now();
  const pending = await findOneTimeTokenOfSlot(store, { kind: "mfa", slot: uid, now });
  if (!pending?.userId || pending.browserHash !== hashToken(browser)) return null;
  const link = await findOneTimeTokenOfSlot(store, { kind: "mfa-reset", slot: pending.userId, now });
  if (!link || link.generation !== pending.generation) return null;
  return { from: worksFromOf(link), until: link.expiresAt };
}

/** Returns the start of validity of a link's row; null for an administrator's link. */
export function worksFromOf({ payload }: OneTimeToken): Date | null {
  return payloadSchema.parse(payload).worksFrom;
}

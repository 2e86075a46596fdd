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
import type { Clock, Random, TokenHash } from "#app/ports.ts";

/** How long a link of an administrator is valid: it works at once. */
export const FACTOR_RESET_MINUTES = 60;

/** How long a link from /mfa/lost works, from the end of its delay: long enough for a weekend or a few days off. */
export const LOST_LINK_DAYS = 7;

const MINUTE_MS = 60 * 1000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/** What making a link touches. Inside a transaction hand in the transaction's store. */
export type LinkDeps = { store: Store; clock: Clock; random: Random; config: Pick<Config, "issuer"> };

/** A link for a mail or a terminal, never for a log. `tokenHash` is how the database knows it. */
export type FactorResetLink = { url: string; tokenHash: TokenHash; expiresAt: Date };

const payloadSchema = z.object({ worksFrom: z.coerce.date().nullable() });

/**
 * Makes a link that removes all second factors of this user, once. An older one dies, and so does what could stop it. It
 * carries the user's generation: another password, user name or factor, and a block, void it.
 * @param worksFrom the link waits until then; null: it works at once
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
  const facts = { payload: { worksFrom: worksFrom?.toISOString() ?? null }, createdAt, expiresAt };
  await issueOneTimeToken(store, { kind: "mfa-reset", slot: userId, tokenHash, userId, generation, ...facts });
  if (worksFrom === null) await removeOneTimeTokensOfUser(store, userId, ["mfa-reset-stop"]);
  const url = new URL("/mfa-reset/reset-form", config.issuer);
  url.searchParams.set("reset_token", token);
  return { url: url.href, tokenHash, expiresAt };
}

/** Returns when a link from /mfa/lost that works from then on ends. */
export function lostLinkEnd(worksFrom: Date): Date {
  return new Date(worksFrom.getTime() + LOST_LINK_DAYS * DAY_MS);
}

/** When a link works. `from` is null for a link of an administrator, which works at once. */
export type LinkWindow = { from: Date | null; until: Date };

/** A link that is good, and whose it is. */
export type FactorReset = { user: User; tokenHash: TokenHash; window: LinkWindow };

export type FoundReset =
  | { kind: "found"; reset: FactorReset }
  /** The link waits still. */
  | { kind: "too-early"; window: LinkWindow }
  /** It was used, stopped, replaced or never made, its time is over, or its user changed. */
  | { kind: "error-token" };

/** What the token of a link stands for. */
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
 * Returns when the link works that was asked for in this pending sign-in (`uid`: of the engine's interaction). Null when
 * the sign-in is not this browser's or is over, and when no link waits.
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

/** From when the link of this row works; null for one that never had to wait. */
export function worksFromOf({ payload }: OneTimeToken): Date | null {
  return payloadSchema.parse(payload).worksFrom;
}

import { z } from "zod";
import type { Config } from "#app/config.server.ts";
import type { Clock, Random } from "#app/context.server.ts";
import {
  findOneTimeToken,
  issueOneTimeToken,
  removeOneTimeTokensOfUser,
} from "#app/db/repositories/one-time-tokens.server.ts";
import { findUser } from "#app/db/repositories/users.server.ts";
import type { OneTimeToken, User } from "#app/db/schema.server.ts";
import type { Store } from "#app/db/store.server.ts";
import type { TokenHash } from "#app/domain/secret/secrets.server.ts";
import { hashToken } from "#app/domain/secret/token-hash.server.ts";

/** How long a link is good, from when it works. */
export const FACTOR_RESET_MINUTES = 60;

/** What making a link touches. Inside a transaction hand in the transaction's store. */
export type LinkParts = { store: Store; clock: Clock; random: Random; config: Pick<Config, "issuer"> };

/** A link for a mail or a terminal, never for a log. `tokenHash` is how the database knows it. */
export type FactorResetLink = { url: string; tokenHash: TokenHash; expiresAt: Date };

const payloadSchema = z.object({ worksFrom: z.coerce.date().nullable() });

/**
 * Makes a link that removes all second factors of this user, once. An older one dies, and so does what could stop it. It
 * carries the user's generation: another password, user name or factor, and a block, void it.
 * @param worksFrom the link waits until then; null: it works at once
 */
export async function issueFactorReset(
  { store, clock, random, config }: LinkParts,
  { id: userId, generation }: User,
  worksFrom: Date | null,
): Promise<FactorResetLink> {
  const token = random.token();
  const tokenHash = hashToken(token);
  const createdAt = clock.now();
  const expiresAt = new Date((worksFrom ?? createdAt).getTime() + FACTOR_RESET_MINUTES * 60 * 1000);
  const facts = { payload: { worksFrom: worksFrom?.toISOString() ?? null }, createdAt, expiresAt };
  await issueOneTimeToken(store, { kind: "mfa-reset", slot: userId, tokenHash, userId, generation, ...facts });
  if (worksFrom === null) await removeOneTimeTokensOfUser(store, userId, ["mfa-reset-stop"]);
  const url = new URL("/mfa-reset/reset-form", config.issuer);
  url.searchParams.set("reset_token", token);
  return { url: url.href, tokenHash, expiresAt };
}

/** A link that is good, and whose it is. */
export type FactorReset = { user: User; tokenHash: TokenHash };

export type FoundReset =
  | { kind: "found"; reset: FactorReset }
  /** The link waits still. */
  | { kind: "too-early" }
  /** It was used, stopped, replaced or never made, its time is over, or its user changed. */
  | { kind: "error-token" };

/** What the token of a link stands for. */
export async function findFactorReset(
  { store, clock }: Pick<LinkParts, "store" | "clock">,
  resetToken: string,
): Promise<FoundReset> {
  const tokenHash = hashToken(resetToken);
  const token = await findOneTimeToken(store, { kind: "mfa-reset", tokenHash, now: clock.now() });
  const user = token?.userId ? await findUser(store, token.userId) : null;
  if (!token || user?.status !== "active" || user.generation !== token.generation) return { kind: "error-token" };
  const worksFrom = worksFromOf(token);
  if (worksFrom !== null && worksFrom > clock.now()) return { kind: "too-early" };
  return { kind: "found", reset: { user, tokenHash } };
}

/** From when the link of this row works; null for one that never had to wait. */
export function worksFromOf({ payload }: OneTimeToken): Date | null {
  return payloadSchema.parse(payload).worksFrom;
}

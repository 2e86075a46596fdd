import { z } from "zod";
import type { Config } from "#app/config/config.ts";
import { findOneTimeToken, issueOneTimeToken } from "#app/db/repositories/one-time-tokens.server.ts";
import { findUser } from "#app/db/repositories/users.server.ts";
import type { User } from "#app/db/schema.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { hashToken } from "#app/domain/secret/token-hash.server.ts";
import type { Clock, Random, TokenHash } from "#app/ports.ts";

/** How long a link to a new password is good. */
export const RESET_LINK_MINUTES = 60;

/** How long an invitation is valid: seven days. */
export const INVITATION_MINUTES = 7 * 24 * 60;

/** What making a link touches. */
export type LinkDeps = { store: Store; clock: Clock; random: Random; config: Pick<Config, "issuer"> };

/** The sign-in in which a link is asked for: the id of the engine's interaction, and the browser cookie. */
export type LinkOrigin = { uid: string; browser: string };

/** `minutes`: how long the link is valid. */
type LinkOptions = { signIn?: LinkOrigin | null; minutes?: number };

/** A link for a mail or a terminal, never for a log. `tokenHash` is how the database knows it. */
export type ResetLink = { url: string; tokenHash: TokenHash; expiresAt: Date };

/**
 * Makes a link with which this user can choose a new password, once. An older one dies. It carries the user's generation:
 * another password, user name or factor, and a block, void it.
 */
export async function issueResetLink(
  { store, clock, random, config }: LinkDeps,
  { id: userId, generation }: User,
  { signIn = null, minutes = RESET_LINK_MINUTES }: LinkOptions = {},
): Promise<ResetLink> {
  const token = random.token();
  const tokenHash = hashToken(token);
  const createdAt = clock.now();
  const expiresAt = new Date(createdAt.getTime() + minutes * 60 * 1000);
  const browserHash = signIn && hashToken(signIn.browser);
  const facts = { payload: { signInUid: signIn?.uid ?? null }, browserHash, createdAt, expiresAt };
  await issueOneTimeToken(store, { kind: "password-reset", slot: userId, tokenHash, userId, generation, ...facts });
  const url = new URL("/password-reset/reset-form", config.issuer);
  url.searchParams.set("reset_token", token);
  return { url: url.href, tokenHash, expiresAt };
}

/**
 * A link that is still good, and whose it is. `signIn`: the interaction in which the link was asked for, and the hash of
 * that browser's cookie.
 */
export type PasswordReset = {
  user: User;
  tokenHash: TokenHash;
  signIn: { uid: string; browserHash: string } | null;
};

const payloadSchema = z.object({ signInUid: z.string().nullish() });

/** What the token of a link stands for. Null when it was used, replaced or never made, its time is over, or its user changed. */
export async function findPasswordReset(
  { store, clock }: Pick<LinkDeps, "store" | "clock">,
  resetToken: string,
): Promise<PasswordReset | null> {
  const tokenHash = hashToken(resetToken);
  const token = await findOneTimeToken(store, { kind: "password-reset", tokenHash, now: clock.now() });
  const user = token?.userId ? await findUser(store, token.userId) : null;
  if (!token || user?.status !== "active" || user.generation !== token.generation) return null;
  const { signInUid: uid } = payloadSchema.parse(token.payload);
  const { browserHash } = token;
  return { user, tokenHash, signIn: uid && browserHash ? { uid, browserHash } : null };
}

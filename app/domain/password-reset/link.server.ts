import { z } from "zod";
import type { Config } from "#app/config/config.ts";
import { findOneTimeToken, issueOneTimeToken } from "#app/db/repositories/one-time-tokens.server.ts";
import { findUser } from "#app/db/repositories/users.server.ts";
import type { User } from "#app/db/schema.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { hashToken } from "#app/domain/secret/token-hash.server.ts";
import type { Clock, Random, TokenHash } from "#app/ports.ts";

/** Lifetime of a password-reset link. Keep in step with docs/security.md. */
export const RESET_LINK_MINUTES = 60;

/** Lifetime of an invitation: seven days. */
export const INVITATION_MINUTES = 7 * 24 * 60;

/** Dependencies of `issueResetLink`. */
export type LinkDeps = { store: Store; clock: Clock; random: Random; config: Pick<Config, "issuer"> };

/** The sign-in from which the link was requested: uid of the engine's interaction, and value of the browser cookie. */
export type LinkOrigin = { uid: string; browser: string };

/** `minutes` is the lifetime of the link. */
type LinkOptions = { signIn?: LinkOrigin | null; minutes?: number };

/** A link to send by mail or print on a terminal; never log it. The database stores only `tokenHash`. */
export type ResetLink = { url: string; tokenHash: TokenHash; expiresAt: Date };

/**
 * Issues a single-use link to choose a password, and invalidates an older one. The link contains the user's generation:
 * a password, user-name or factor change or a block invalidates it.
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
  const fields = { payload: { signInUid: signIn?.uid ?? null }, browserHash, createdAt, expiresAt };
  await issueOneTimeToken(store, { kind: "password-reset", slot: userId, tokenHash, userId, generation, ...fields });
  const url = new URL("/password-reset/reset-form", config.issuer);
  url.searchParams.set("reset_token", token);
  return { url: url.href, tokenHash, expiresAt };
}

/** A valid link and its user. `signIn`: interaction in which it was requested, and hash of the browser cookie. */
export type PasswordReset = {
  user: User;
  tokenHash: TokenHash;
  signIn: { uid: string; browserHash: string } | null;
};

const payloadSchema = z.object({ signInUid: z.string().nullish() });

/** Returns the reset for a token. Null if it is unknown, used, replaced or expired, or its user blocked or changed. */
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

import { z } from "zod";
import type { Config } from "#app/config/config.ts";
import { findOneTimeToken, issueOneTimeToken } from "#app/db/repositories/one-time-tokens.server.ts";
import { findUser } from "#app/db/repositories/users.server.ts";
import type { NewOneTimeToken, OneTimeTokenKind, User } from "#app/db/schema.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { hashToken } from "#app/domain/secret/token-hash.server.ts";
import { MINUTE_MS } from "#app/durations.ts";
import { isSameAddress } from "#app/mail-address.server.ts";
import type { Clock, Random, TokenHash } from "#app/ports.ts";

/** Lifetime of a password-reset link. Keep in step with docs/security.md. */
export const RESET_LINK_MINUTES = 60;

/** Lifetime of an invitation: seven days. Keep in step with docs/security.md, administration.json and `user import`. */
export const INVITATION_MINUTES = 7 * 24 * 60;

/** Dependencies of `issueResetLink`. */
export type LinkDeps = { store: Store; clock: Clock; random: Random; config: Pick<Config, "issuer"> };

/** The sign-in from which the link was requested: uid of the engine's interaction, and value of the browser cookie. */
export type LinkOrigin = { uid: string; browser: string };

/**
 * `mailedTo`: address to which the link is sent, if it is shown nowhere else. `minutes` is its lifetime. `opensSettings`:
 * the new password is followed by a sign-in to the settings.
 */
export type LinkOptions = {
  mailedTo?: string | null;
  signIn?: LinkOrigin | null;
  minutes?: number;
  opensSettings?: boolean;
};

/** A link to send by mail or print on a terminal; never log it. The database stores only `tokenHash`. */
export type ResetLink = { url: string; tokenHash: TokenHash; expiresAt: Date };

/**
 * Issues a single-use link to choose a password, and invalidates an older one. The link contains the user's generation:
 * a password, user-name or factor change or a block invalidates it.
 */
export async function issueResetLink(
  deps: LinkDeps,
  { id: userId, generation }: User,
  { mailedTo = null, signIn = null, minutes = RESET_LINK_MINUTES, opensSettings = false }: LinkOptions = {},
): Promise<ResetLink> {
  const payload = { signInUid: signIn?.uid ?? null, email: mailedTo, opensSettings };
  const fields = { payload, browserHash: signIn && hashToken(signIn.browser) };
  return issue(deps, { kind: "password-reset", slot: userId, userId, generation, ...fields }, minutes);
}

/**
 * Issues a single-use link to choose a password for a user who reported a stranger. Neither other links nor a change of
 * the account invalidates it, because the stranger may cause both; a block or another mail address does.
 */
export function issueReportedResetLink(deps: LinkDeps, { id: userId, email }: User): Promise<ResetLink> {
  return issue(deps, { kind: "not-me-reset", slot: null, userId, payload: { email } }, RESET_LINK_MINUTES);
}

async function issue(
  { store, clock, random, config }: LinkDeps,
  row: Omit<NewOneTimeToken, "tokenHash" | "createdAt" | "expiresAt" | "usedAt">,
  minutes: number,
): Promise<ResetLink> {
  const token = random.token();
  const tokenHash = hashToken(token);
  const createdAt = clock.now();
  const expiresAt = new Date(createdAt.getTime() + minutes * MINUTE_MS);
  await issueOneTimeToken(store, { ...row, tokenHash, createdAt, expiresAt });
  const url = new URL("/password-reset/reset-form", config.issuer);
  url.searchParams.set("reset_token", token);
  return { url: url.href, tokenHash, expiresAt };
}

/**
 * A valid link and its user. `generation`: the only one of the user in which it is valid, null for a reported stranger.
 * `mailedTo`: address to which it was sent, null if an administrator passes it on. `signIn`: interaction in which it was
 * requested, and hash of the browser cookie. `opensSettings`: a sign-in to the settings follows.
 */
export type PasswordReset = {
  user: User;
  kind: OneTimeTokenKind;
  tokenHash: TokenHash;
  generation: number | null;
  mailedTo: string | null;
  signIn: { uid: string; browserHash: string } | null;
  opensSettings: boolean;
};

const payloadSchema = z.object({
  signInUid: z.string().nullish(),
  email: z.string().nullish(),
  opensSettings: z.boolean().default(false),
});

/** Returns the reset for a token. Null if it is unknown, used, replaced or expired, or its user blocked or changed. */
export async function findPasswordReset(
  { store, clock }: Pick<LinkDeps, "store" | "clock">,
  resetToken: string,
): Promise<PasswordReset | null> {
  const tokenHash = hashToken(resetToken);
  const presented = { tokenHash, now: clock.now() };
  const token =
    (await findOneTimeToken(store, { kind: "password-reset", ...presented })) ??
    (await findOneTimeToken(store, { kind: "not-me-reset", ...presented }));
  const user = token?.userId ? await findUser(store, token.userId) : null;
  if (!token || user?.status !== "active") return null;
  const { kind, generation, browserHash } = token;
  const { signInUid: uid, email: mailedTo = null, opensSettings } = payloadSchema.parse(token.payload);
  if (mailedTo !== null && !isSameAddress(mailedTo, user.email)) return null;
  if (kind === "password-reset" && generation !== user.generation) return null;
  const signIn = uid && browserHash ? { uid, browserHash } : null;
  return { user, kind, tokenHash, generation, mailedTo, signIn, opensSettings };
}

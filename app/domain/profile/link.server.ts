import { z } from "zod";
import type { Config } from "#app/config/config.ts";
import {
  findOneTimeToken,
  findOneTimeTokenOfSlot,
  issueOneTimeToken,
} from "#app/db/repositories/one-time-tokens.server.ts";
import { findUser } from "#app/db/repositories/users.server.ts";
import type { OneTimeToken, User } from "#app/db/schema.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { hashToken } from "#app/domain/secret/token-hash.server.ts";
import { DAY_MS, HOUR_MS } from "#app/durations.ts";
import { isSameAddress } from "#app/mail-address.server.ts";
import type { Clock, Random, TokenHash } from "#app/ports.ts";

/** Lifetime of the link that confirms a new e-mail address. Keep in step with docs/security.md. */
export const EMAIL_CHANGE_HOURS = 24;

/** Lifetime of the link that restores the old e-mail address. Keep in step with docs/security.md. */
export const EMAIL_UNDO_DAYS = 7;

/** Dependencies of issuing a link. Inside a transaction, pass the transaction's store. */
type LinkDeps = { store: Store; clock: Clock; random: Random; config: Pick<Config, "issuer"> };

/** Dependencies of finding the link of a change, which ends when the configuration allows no change any more. */
type FindDeps = { store: Store; clock: Clock; config: Pick<Config, "profileChanges"> };

/** A link for a mail; must not be logged. `tokenHash`: the key of its database row. */
type EmailLink = { url: string; tokenHash: TokenHash; expiresAt: Date };

/** `from`: the address at the request; `to`: the new one. */
const changeSchema = z.object({ from: z.string().nullable(), to: z.string() });

/** The address before the change. */
const undoSchema = z.object({ email: z.string(), isVerified: z.boolean() });

/**
 * Issues the single-use link that confirms a new e-mail address, and invalidates an earlier one. It is bound to the
 * user's generation and present address.
 */
export async function issueEmailChange(
  deps: LinkDeps,
  { id: userId, generation, email: from }: User,
  to: string,
): Promise<EmailLink> {
  const fields = { kind: "email-change", slot: userId, userId, generation, payload: { from, to } } as const;
  const { token, ...issued } = await issue(deps, fields, EMAIL_CHANGE_HOURS * HOUR_MS);
  const url = new URL("/email-change/confirm", deps.config.issuer);
  url.searchParams.set("change_token", token);
  return { url: url.href, ...issued };
}

/**
 * Issues the single-use link that restores the present e-mail address of the user. It is not bound to the generation,
 * because an attacker could invalidate it by a change; the links of earlier changes stay valid.
 */
export async function issueEmailUndo(
  deps: LinkDeps,
  { id: userId, emailVerified: isVerified }: User,
  email: string,
): Promise<EmailLink> {
  const fields = { kind: "email-change-undo", slot: null, userId, payload: { email, isVerified } } as const;
  const { token, ...issued } = await issue(deps, fields, EMAIL_UNDO_DAYS * DAY_MS);
  const url = new URL("/email-change/undo", deps.config.issuer);
  url.searchParams.set("undo_token", token);
  return { url: url.href, ...issued };
}

async function issue(
  { store, clock, random }: LinkDeps,
  row: Omit<Parameters<typeof issueOneTimeToken>[1], "tokenHash" | "createdAt" | "expiresAt">,
  lifetimeMs: number,
) {
  const token = random.token();
  const tokenHash = hashToken(token);
  const createdAt = clock.now();
  const expiresAt = new Date(createdAt.getTime() + lifetimeMs);
  await issueOneTimeToken(store, { ...row, tokenHash, createdAt, expiresAt });
  return { token, tokenHash, expiresAt };
}

/** A valid link that confirms a new e-mail address, and its user. */
export type EmailChange = { user: User; tokenHash: TokenHash; from: string | null; to: string; expiresAt: Date };

/**
 * Finds the change of a link, without consuming it. Null if the link is unknown, used, replaced, withdrawn or expired,
 * the user was blocked or changed since, or users may no longer change their address.
 */
export async function findEmailChange(deps: FindDeps, changeToken: string): Promise<EmailChange | null> {
  const presented = { tokenHash: hashToken(changeToken), now: deps.clock.now() };
  return changeOf(deps, await findOneTimeToken(deps.store, { kind: "email-change", ...presented }));
}

/** Finds the pending change of a user, under the conditions of `findEmailChange`. */
export async function findEmailChangeOfUser(deps: FindDeps, userId: string): Promise<EmailChange | null> {
  const now = deps.clock.now();
  return changeOf(deps, await findOneTimeTokenOfSlot(deps.store, { kind: "email-change", slot: userId, now }));
}

async function changeOf({ store, config }: FindDeps, token: OneTimeToken | null): Promise<EmailChange | null> {
  if (!token?.userId || !config.profileChanges.includes("email")) return null;
  const user = await findUser(store, token.userId);
  const { from, to } = changeSchema.parse(token.payload);
  if (user?.status !== "active" || user.generation !== token.generation) return null;
  if (!isSameAddress(user.email, from)) return null;
  return { user, tokenHash: token.tokenHash, from, to, expiresAt: token.expiresAt };
}

/** A valid link that restores an e-mail address, and its user. `issuedAt`: time of the change. */
export type EmailUndo = { user: User; tokenHash: TokenHash; email: string; isVerified: boolean; issuedAt: Date };

/** Finds the change that a link undoes, without consuming it. Null if it is unknown, used or expired, or the user blocked. */
export async function findEmailUndo(
  { store, clock }: Pick<FindDeps, "store" | "clock">,
  undoToken: string,
): Promise<EmailUndo | null> {
  const presented = { kind: "email-change-undo", tokenHash: hashToken(undoToken), now: clock.now() } as const;
  const token = await findOneTimeToken(store, presented);
  const user = token?.userId ? await findUser(store, token.userId) : null;
  if (!token || user?.status !== "active") return null;
  return { user, tokenHash: token.tokenHash, ...undoSchema.parse(token.payload), issuedAt: token.createdAt };
}

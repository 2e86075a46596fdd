import { z } from "zod";
import {
  consumeOneTimeToken,
  findOneTimeTokenOfSlot,
  issueOneTimeToken,
} from "#app/db/repositories/one-time-tokens.server.ts";
import type { OneTimeToken } from "#app/db/schema.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { hashToken } from "#app/domain/secret/token-hash.server.ts";
import type { Clock, Random, TokenHash } from "#app/ports.ts";

/** How long a question to a security key can be answered: the browser's time limit, and time to read. */
export const CEREMONY_MINUTES = 5;

export type CeremonyKind = "webauthn-registration" | "webauthn-assertion";

/**
 * Whom a ceremony is for. `browser` is the value of the browser cookie; `slot` names the place it belongs to, which has
 * one open ceremony of a kind: a newer one takes its place.
 */
export type CeremonyOwner = { userId: string; generation: number; browser: string; slot: string };

/** A question that was asked. Both values are 32 random bytes in base64url; `sessionId` is known to the asker alone. */
export type Ceremony = { challenge: string; sessionId: string };

const payloadSchema = z.object({ challenge: z.string().min(1) });

/** Begins a ceremony: keeps a fresh challenge for this owner. It lives 5 minutes and is good for one answer. */
export async function beginCeremony(
  { store, clock, random }: { store: Store; clock: Clock; random: Random },
  kind: CeremonyKind,
  { userId, generation, browser, slot }: CeremonyOwner,
): Promise<Ceremony> {
  const ceremony = { challenge: random.token(), sessionId: random.token() };
  const now = clock.now();
  await issueOneTimeToken(store, {
    kind,
    tokenHash: hashToken(ceremony.sessionId),
    slot,
    userId,
    generation,
    browserHash: hashToken(browser),
    payload: { challenge: ceremony.challenge },
    createdAt: now,
    expiresAt: new Date(now.getTime() + CEREMONY_MINUTES * 60_000),
  });
  return ceremony;
}

type CeremonyDeps = { store: Store; clock: Clock };

/**
 * Uses up the ceremony with this session id and returns its challenge. To be called before the answer is looked at: every
 * answer costs its ceremony. Null when it was used, expired, replaced, or is another owner's; that one is used up as well.
 */
export async function consumeCeremony(
  { store, clock }: CeremonyDeps,
  kind: CeremonyKind,
  { sessionId, owner }: { sessionId: string; owner: CeremonyOwner },
): Promise<string | null> {
  return consume({ store, clock }, kind, hashToken(sessionId), owner);
}

/** The same for the open ceremony of the owner's slot, whose session id the answer does not name. */
export async function consumeCeremonyOfSlot(
  { store, clock }: CeremonyDeps,
  kind: CeremonyKind,
  owner: CeremonyOwner,
): Promise<string | null> {
  const open = await findOneTimeTokenOfSlot(store, { kind, slot: owner.slot, now: clock.now() });
  return open && consume({ store, clock }, kind, open.tokenHash, owner);
}

async function consume(
  { store, clock }: CeremonyDeps,
  kind: CeremonyKind,
  tokenHash: TokenHash,
  owner: CeremonyOwner,
): Promise<string | null> {
  const token = await consumeOneTimeToken(store, { kind, tokenHash, now: clock.now() });
  return token && belongsTo(token, owner) ? payloadSchema.parse(token.payload).challenge : null;
}

function belongsTo(token: OneTimeToken, { userId, generation, browser, slot }: CeremonyOwner): boolean {
  return (
    token.userId === userId &&
    token.generation === generation &&
    token.browserHash === hashToken(browser) &&
    token.slot === slot
  );
}

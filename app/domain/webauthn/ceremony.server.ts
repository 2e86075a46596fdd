import { z } from "zod";
import {
  consumeOneTimeToken,
  findOneTimeTokenOfSlot,
  issueOneTimeToken,
} from "#app/db/repositories/one-time-tokens.server.ts";
import type { OneTimeToken } from "#app/db/schema.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { hashToken } from "#app/domain/secret/token-hash.server.ts";
import { MINUTE_MS } from "#app/durations.ts";
import type { Clock, Random, TokenHash } from "#app/ports.ts";

/** Lifetime of a ceremony: the browser's timeout plus time to read the page. */
export const CEREMONY_MINUTES = 5;

/** Kind of a ceremony; also the kind of its one-time token. */
type CeremonyKind = "webauthn-registration" | "webauthn-assertion";

/** Owner of a ceremony. `browser` is the value of the browser cookie; `slot` has at most one open ceremony per kind. */
export type CeremonyOwner = { userId: string; generation: number; browser: string; slot: string };

/** An open ceremony. Both values are 32 random bytes in base64url. `sessionId` is secret. */
type Ceremony = { challenge: string; sessionId: string };

const payloadSchema = z.object({ challenge: z.string().min(1) });

/** Starts a ceremony with a new challenge, valid for 5 minutes and one response. */
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
    expiresAt: new Date(now.getTime() + CEREMONY_MINUTES * MINUTE_MS),
  });
  return ceremony;
}

type CeremonyDeps = { store: Store; clock: Clock };

/**
 * Consumes the ceremony with this session id and returns its challenge. Call it before checking the response, so that
 * every response consumes its ceremony. Returns null if it is unknown, used, expired, replaced or of another owner,
 * and consumes the latter, too.
 */
export async function consumeCeremony(
  { store, clock }: CeremonyDeps,
  kind: CeremonyKind,
  { sessionId, owner }: { sessionId: string; owner: CeremonyOwner },
): Promise<string | null> {
  return consume({ store, clock }, kind, hashToken(sessionId), owner);
}

/** Like `consumeCeremony`, for the open ceremony of the owner's slot. */
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

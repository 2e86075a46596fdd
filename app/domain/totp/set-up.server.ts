import { z } from "zod";
import {
  consumeOneTimeToken,
  findOneTimeTokenOfSlot,
  issueOneTimeToken,
  renewOneTimeToken,
} from "#app/db/repositories/one-time-tokens.server.ts";
import { createTotpCredential } from "#app/db/repositories/totp-credentials.server.ts";
import type { WrongStep } from "#app/db/schema.server.ts";
import type { Store } from "#app/db/store.server.ts";
import type { Secrets } from "#app/domain/secret/secrets.server.ts";
import { hashToken } from "#app/domain/secret/token-hash.server.ts";
import type { Clock, Random, SealedSecret, TokenHash } from "#app/ports.ts";
import { newSecret } from "./register.server.ts";

/** From the start of a set-up to its first code, in seconds. */
export const TOTP_SET_UP_SECONDS = 10 * 60;

const payloadSchema = z.object({
  sealedSecret: z.custom<SealedSecret>((value) => typeof value === "string"),
  wrongSteps: z.array(z.object({ step: z.number(), offset: z.number() })),
});

/** Whose set-up, and where: `slot` names the place, which has one set-up at a time. */
export type SetUpPlace = { slot: string; userId: string; generation: number };

/** An authenticator app that has not shown a code yet; it opens nothing. */
export type TotpSetUp = { tokenHash: TokenHash; userId: string; secretBase32: string } & z.infer<typeof payloadSchema>;

/** What a set-up touches. Inside a transaction hand in the transaction's store. */
export type SetUpDeps = { store: Store; clock: Clock; secrets: Secrets };

/** Makes a new secret for an authenticator app, in the place of one that this place showed before. */
export async function startTotp(
  { store, clock, random, secrets }: SetUpDeps & { random: Random },
  { slot, userId, generation }: SetUpPlace,
): Promise<{ secretBase32: string }> {
  const secretBase32 = newSecret(random);
  const sealedSecret = await secrets.seal("totp", secretBase32);
  const createdAt = clock.now();
  await issueOneTimeToken(store, {
    kind: "totp-setup",
    slot,
    // Found by its slot alone: nobody gets the token.
    tokenHash: hashToken(random.token()),
    userId,
    generation,
    payload: { sealedSecret, wrongSteps: [] },
    createdAt,
    expiresAt: new Date(createdAt.getTime() + TOTP_SET_UP_SECONDS * 1000),
  });
  return { secretBase32 };
}

/** The set-up of this place. Null when there is none, its time is over, or it was begun by or for somebody else. */
export async function findTotp({ store, clock, secrets }: SetUpDeps, place: SetUpPlace): Promise<TotpSetUp | null> {
  const { slot, userId, generation } = place;
  const token = await findOneTimeTokenOfSlot(store, { kind: "totp-setup", slot, now: clock.now() });
  if (token?.userId !== userId || token.generation !== generation) return null;
  const payload = payloadSchema.parse(token.payload);
  const secretBase32 = await secrets.open("totp", payload.sealedSecret);
  return { tokenHash: token.tokenHash, userId, secretBase32, ...payload };
}

/** Keeps what was noted of a wrong clock. */
export async function keepWrongSteps(
  { store, clock }: Pick<SetUpDeps, "store" | "clock">,
  { tokenHash, sealedSecret }: TotpSetUp,
  wrongSteps: WrongStep[],
): Promise<void> {
  const payload = { sealedSecret, wrongSteps };
  await renewOneTimeToken(store, { kind: "totp-setup", from: tokenHash, to: tokenHash, payload, now: clock.now() });
}

/**
 * Makes the authenticator app a factor. Its first code is used up by that: `step`. Part of a larger change; false when the
 * set-up was used, replaced or ran out meanwhile.
 */
export async function keepTotp(
  { store, clock }: Pick<SetUpDeps, "store" | "clock">,
  { tokenHash, userId, sealedSecret, wrongSteps }: TotpSetUp,
  step: number,
): Promise<boolean> {
  const now = clock.now();
  if (!(await consumeOneTimeToken(store, { kind: "totp-setup", tokenHash, now }))) return false;
  await createTotpCredential(store, { userId, sealedSecret, lastStep: step, wrongSteps, createdAt: now });
  return true;
}

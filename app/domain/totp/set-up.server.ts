import { generateURI, ScureBase32Plugin } from "otplib";
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
import { MINUTE_SECONDS } from "#app/durations.ts";
import type { Clock, Random, SealedSecret, TokenHash } from "#app/ports.ts";
import { addWrongStep, checkTotp, NEVER_USED } from "./verify.server.ts";

/** Lifetime of a set-up. */
export const TOTP_SET_UP_SECONDS = 10 * MINUTE_SECONDS;

const payloadSchema = z.object({
  sealedSecret: z.custom<SealedSecret>((value) => typeof value === "string"),
  wrongSteps: z.array(z.object({ step: z.number(), offset: z.number() })),
});

/** The user of a set-up, and its `slot`, which has at most one set-up. */
export type SetUpSlot = { slot: string; userId: string; generation: number };

/** An authenticator app that is not confirmed by a code yet. */
type TotpSetUp = { tokenHash: TokenHash; userId: string; secretBase32: string } & z.infer<typeof payloadSchema>;

/** Dependencies of set-ups. In a transaction, pass the transaction's store. */
type SetUpDeps = { store: Store; clock: Clock; secrets: Secrets };

/** Starts a set-up with a new secret. Replaces an earlier one in the same slot. */
export async function startTotp(
  { store, clock, random, secrets }: SetUpDeps & { random: Random },
  { slot, userId, generation }: SetUpSlot,
): Promise<{ secretBase32: string }> {
  const secretBase32 = newSecret(random);
  const sealedSecret = await secrets.seal("totp", secretBase32);
  const createdAt = clock.now();
  await issueOneTimeToken(store, {
    kind: "totp-setup",
    slot,
    // Unused: the row is found by its slot.
    tokenHash: hashToken(random.token()),
    userId,
    generation,
    payload: { sealedSecret, wrongSteps: [] },
    createdAt,
    expiresAt: new Date(createdAt.getTime() + TOTP_SET_UP_SECONDS * 1000),
  });
  return { secretBase32 };
}

/** Returns the set-up of this slot. Null if there is none, or it is expired or of another user or generation. */
export async function findTotp({ store, clock, secrets }: SetUpDeps, setUpSlot: SetUpSlot): Promise<TotpSetUp | null> {
  const { slot, userId, generation } = setUpSlot;
  const token = await findOneTimeTokenOfSlot(store, { kind: "totp-setup", slot, now: clock.now() });
  if (token?.userId !== userId || token.generation !== generation) return null;
  const payload = payloadSchema.parse(token.payload);
  const secretBase32 = await secrets.open("totp", payload.sealedSecret);
  return { tokenHash: token.tokenHash, userId, secretBase32, ...payload };
}

/** Stores the steps of a wrong clock. */
async function storeWrongSteps(
  { store, clock }: Pick<SetUpDeps, "store" | "clock">,
  { tokenHash, sealedSecret }: TotpSetUp,
  wrongSteps: WrongStep[],
): Promise<void> {
  const payload = { sealedSecret, wrongSteps };
  await renewOneTimeToken(store, { kind: "totp-setup", from: tokenHash, to: tokenHash, payload, now: clock.now() });
}

/**
 * Stores the authenticator app as a factor, with `step` as its last accepted step. Call it in a transaction. Returns
 * false if the set-up was used, replaced or expired meanwhile.
 */
export async function storeTotp(
  { store, clock }: Pick<SetUpDeps, "store" | "clock">,
  { tokenHash, userId, sealedSecret, wrongSteps }: TotpSetUp,
  step: number,
): Promise<boolean> {
  const now = clock.now();
  if (!(await consumeOneTimeToken(store, { kind: "totp-setup", tokenHash, now }))) return false;
  await createTotpCredential(store, { userId, sealedSecret, lastStep: step, wrongSteps, createdAt: now });
  return true;
}

/** 160 bits, as recommended by RFC 4226 §4. */
const SECRET_BYTES = 20;

const base32 = new ScureBase32Plugin();

/** Generates a secret for an authenticator app: 32 characters of Base32. */
export function newSecret(random: Random): string {
  return base32.encode(random.bytes(SECRET_BYTES));
}

/** A secret to type, and its otpauth URI for a link or QR code. */
export type ShownSecret = { secretBase32: string; otpauthUri: string };

/** Returns a secret with its otpauth URI. */
export function showSecret(
  { productName }: { productName: string },
  { username }: { username: string },
  secretBase32: string,
): ShownSecret {
  return { secretBase32, otpauthUri: otpauthUri({ productName, username, secretBase32 }) };
}

/** Returns the otpauth URI, with the defaults SHA-1, 6 digits, 30 s. It contains the secret; never log it. */
export function otpauthUri(input: { productName: string; username: string; secretBase32: string }): string {
  // A colon separates issuer and account in the label.
  const issuer = input.productName.replaceAll(":", " ");
  return generateURI({ issuer, label: input.username, secret: input.secretBase32 });
}

/** `clockOffSeconds`: offset of the device's clock once two codes agree, else null. */
type FirstCode =
  | { kind: "right"; step: number }
  | { kind: "refused"; reason: "wrong" | "used"; clockOffSeconds: number | null };

/** Checks the six-digit code that finishes a set-up. Stores the steps of a wrong clock with the set-up. */
export async function checkFirstCode(
  context: Pick<SetUpDeps, "store" | "clock">,
  setUp: TotpSetUp,
  code: string,
): Promise<FirstCode> {
  const { secretBase32, wrongSteps } = setUp;
  const used = { lastStep: NEVER_USED, wrongSteps };
  const result = await checkTotp({ secretBase32, code, now: context.clock.now() }, used);
  if (result.kind === "right") return result;
  const refused = { kind: "refused", clockOffSeconds: null } as const;
  if (result.kind !== "off") return { ...refused, reason: result.kind };
  const updated = addWrongStep(wrongSteps, { step: result.step, offset: result.offset });
  await storeWrongSteps(context, setUp, updated.wrongSteps);
  return { ...refused, reason: "wrong", clockOffSeconds: updated.clockOffSeconds };
}

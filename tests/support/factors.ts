import { generate } from "otplib";
import { createTotpCredential } from "#app/db/repositories/totp-credentials.server.ts";
import { addWebauthnCredential } from "#app/db/repositories/webauthn-credentials.server.ts";
import { createRecoveryCodes } from "#app/domain/recovery-code/create.server.ts";
import { newSecret } from "#app/domain/totp/register.server.ts";
import { NEVER_USED } from "#app/domain/totp/verify.server.ts";
import type { TestServer, TestUser } from "./server.ts";

/** An authenticator app. `code` is the one of now, or of so many steps of 30 s later (before, below zero). */
export type TestApp = { secretBase32: string; code(stepsLater?: number): Promise<string> };

type Server = Pick<TestServer, "context" | "clock">;

/** Gives the user an authenticator app, as if it had been set up long ago. */
export async function giveTotp({ context, clock }: Server, { id: userId }: Pick<TestUser, "id">): Promise<TestApp> {
  const secretBase32 = newSecret(context.random);
  await createTotpCredential(context.store, {
    userId,
    sealedSecret: await context.secrets.seal("totp", secretBase32),
    lastStep: NEVER_USED,
    createdAt: clock.now(),
  });
  return testApp(clock, secretBase32);
}

/** The app that holds this secret, with the server's time. */
export function testApp(clock: Pick<TestServer["clock"], "now">, secretBase32: string): TestApp {
  return {
    secretBase32,
    code: (stepsLater = 0) =>
      generate({ secret: secretBase32, epoch: Math.floor(clock.now().getTime() / 1000) + stepsLater * 30 }),
  };
}

/** Gives the user a set of recovery codes; needs a factor that they stand in for. */
export async function giveRecoveryCodes({ context }: Server, { id: userId }: Pick<TestUser, "id">): Promise<string[]> {
  const made = await createRecoveryCodes(context, { userId });
  if (made.kind !== "made") throw new Error("a user without a factor gets no recovery codes");
  return made.codes;
}

/** Puts a security key into the table, as one that exists somewhere: `publicKeyBase64url` and `id` of a real one. */
export async function giveKey(
  { context, clock }: Server,
  { id: userId }: Pick<TestUser, "id">,
  key: { id: string; publicKeyBase64url: string; algorithm: number; counter?: number },
): Promise<void> {
  const added = await addWebauthnCredential(context.store, {
    ...{ counter: 0, attestationFormat: "none", backupEligible: false, backedUp: false, transports: ["usb"] },
    ...key,
    userId,
    rpId: new URL(context.config.issuer).hostname,
    name: "Security key",
    createdAt: clock.now(),
  });
  if (!added) throw new Error("this security key is registered already");
}

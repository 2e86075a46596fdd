import { generate } from "otplib";
import { saveRecord } from "#app/db/repositories/oidc-records.server.ts";
import { createTotpCredential } from "#app/db/repositories/totp-credentials.server.ts";
import type { User } from "#app/db/schema.server.ts";
import { beginSecondFactor, openSecondFactor, type PendingStart } from "#app/domain/pending-sign-in/pending.server.ts";
import { verifyCode } from "#app/domain/second-factor/verify-code.server.ts";
import { newSecret } from "#app/domain/totp/set-up.server.ts";
import { NEVER_USED, STEP_SECONDS } from "#app/domain/totp/verify.server.ts";
import { type Installation, putUser, REQUEST, random, secondsOf } from "#tests/unit/domain/fixtures.ts";

let signIns = 0;

/** Stores a user with an authenticator app; `codeAt(k)` returns the app's code k steps from now. */
export async function putUserWithApp({ store, clock, secrets }: Installation, username: string) {
  const user = await putUser(store, { username });
  const secretBase32 = newSecret(random);
  await createTotpCredential(store, {
    userId: user.id,
    sealedSecret: await secrets.seal("totp", secretBase32),
    lastStep: NEVER_USED,
    createdAt: clock.now(),
  });
  return { user, secretBase32, codeAt: (steps: number) => codeOf({ clock, secretBase32 }, steps) };
}

/** Returns the app's code for this secret, `steps` steps from now. */
export function codeOf({ clock, secretBase32 }: Pick<Installation, "clock"> & { secretBase32: string }, steps: number) {
  const epoch = Math.floor(clock.now().getTime() / 1000) + steps * STEP_SECONDS;
  return generate({ secret: secretBase32, epoch });
}

/** Starts a sign-in that waits for the second factor, and opens its page. Stores its session, if it names one. */
export async function waitingSignIn(deps: Installation, user: User, start: Partial<PendingStart> = {}) {
  signIns += 1;
  const { id: userId, generation } = user;
  const interaction = { uid: start.uid ?? `uid-${signIns}`, browser: start.browser ?? random.token() };
  const { sessionUid: uid, sessionSince: signedInAt } = start;
  if (uid) {
    const payload = { accountId: userId, generation, signedInAt };
    await saveRecord(deps.store, { model: "Session", id: uid, uid, accountId: userId, payload });
  }
  await beginSecondFactor(deps, {
    ...{ userId, generation, amr: ["pwd"], provenAt: secondsOf(deps), clientId: "suite" },
    ...start,
    ...interaction,
  });
  const { mfaToken } = await reopen(deps, interaction);
  return { ...interaction, ...REQUEST, mfaToken };
}

export async function reopen(deps: Installation, interaction: { uid: string; browser: string }) {
  const opened = await openSecondFactor(deps, interaction);
  if (!opened) throw new Error("there is no pending sign-in");
  return opened;
}

/** Verifies a code in a new sign-in of this user and returns the result. */
export async function verifyInNewSignIn(deps: Installation, user: User, code: string) {
  return verifyCode(deps, { ...(await waitingSignIn(deps, user)), code });
}

/** Returns a code that no step within ten steps (the range of clock detection) has. */
export async function wrongCode({ clock, secretBase32 }: Pick<Installation, "clock"> & { secretBase32: string }) {
  const near = new Set<string>();
  for (let steps = -12; steps <= 12; steps += 1) near.add(await codeOf({ clock, secretBase32 }, steps));
  for (let number = 0; ; number += 1) {
    const code = String(number).padStart(6, "0");
    if (!near.has(code)) return code;
  }
}

import type { Subject } from "#app/domain/engine-session/subject.server.ts";
import {
  type FinishKeyResult,
  finishPasskey,
  type KeyRegistration,
  type KeyResponse,
  type PasskeyDeps,
  type StartKeyResult,
  startPasskey,
} from "./own-key-registration.server.ts";

/**
 * A sign-in that has just finished, which allows to set up a passkey like the settings, for ten minutes. `sessionUid`:
 * its session; `uid`: its authorization request; `browser`: value of the browser cookie.
 */
export type FinishedSignIn = {
  subject: Pick<Subject, "userId" | "generation">;
  authTime: Date | null;
  sessionUid: string;
  clientId: string;
  uid: string;
  browser: string;
};

/** Starts the registration of the offered passkey. Replaces an earlier registration of the same sign-in. */
export async function startOfferedPasskey(context: PasskeyDeps, signIn: FinishedSignIn): Promise<StartKeyResult> {
  return startPasskey(context, registrationOf(signIn));
}

/** Registers the offered passkey, like `finishOwnPasskey`: adds it to the session, and ends all others of the user. */
export async function finishOfferedPasskey(
  context: PasskeyDeps,
  signIn: FinishedSignIn,
  response: KeyResponse,
): Promise<FinishKeyResult | { kind: "unavailable" }> {
  return finishPasskey(context, registrationOf(signIn), response);
}

function registrationOf({ subject, authTime, sessionUid, clientId, uid, browser }: FinishedSignIn): KeyRegistration {
  const { userId, generation } = subject;
  return {
    access: { userId, generation, authTime, sessionUid, clientId, returnToUrl: null },
    owner: { userId, generation, browser, slot: `passkey-offer/${uid}` },
  };
}

import { issueOneTimeToken } from "#app/db/repositories/one-time-tokens.server.ts";
import { recordEvent } from "#app/domain/audit/record.server.ts";
import { findHints } from "#app/domain/external-account/registration-hints.server.ts";
import { hashToken } from "#app/domain/secret/token-hash.server.ts";
import type { SignInMetadata } from "#app/ports.ts";
import type { RegistrationHint } from "./hints.ts";
import { goodUntil, keptUntil, type RegistrationDeps } from "./registration.server.ts";

/** `uid`: of the authorization request that waits; `registrationUrl`: where its client registers people. */
export type NewRegistration = {
  uid: string;
  registrationUrl: string;
  /** What the request said of the person; a provider that they come from may know better. */
  hints: RegistrationHint[];
  /** The keys that the client declares. */
  regHints: readonly string[];
  facts: SignInMetadata & { clientId: string };
};

/**
 * Hands a person who has no account over to the application: makes the token that it redeems, once, within an hour. One
 * for each request: an older one, and whatever came of it, dies.
 * @returns the address of the application, with the token
 */
export async function beginRegistration(context: RegistrationDeps, input: NewRegistration): Promise<string> {
  const { uid, registrationUrl } = input;
  const { browser, ...facts } = input.facts;
  const known = await findHints(context, { ...input, browser });
  const token = context.random.token();
  const now = context.clock.now();
  await issueOneTimeToken(context.store, {
    kind: "registration",
    slot: uid,
    tokenHash: hashToken(token),
    browserHash: hashToken(browser),
    clientId: facts.clientId,
    payload: { stage: "begun", uid, ...known, until: goodUntil(now).toISOString() },
    createdAt: now,
    expiresAt: keptUntil(now),
  });
  await recordEvent(context, { type: "registration.begun", outcome: "ok", ...facts });
  const url = new URL(registrationUrl);
  url.searchParams.set("registration_token", token);
  return url.href;
}

import { issueOneTimeToken } from "#app/db/repositories/one-time-tokens.server.ts";
import { recordEvent } from "#app/domain/audit/record.server.ts";
import type { RegistrationHint } from "#app/domain/client/hints.ts";
import { hashToken } from "#app/domain/secret/token-hash.server.ts";
import type { SignInMetadata } from "#app/ports.ts";
import { findHints } from "./provider-hints.server.ts";
import { type RegistrationDeps, rowExpiry, tokenExpiry } from "./registration.server.ts";

/** `uid` is the uid of the waiting interaction, `registrationUrl` the registration page of its client. */
type NewRegistration = {
  uid: string;
  registrationUrl: string;
  /** Hints of the authorization request. Hints of an external provider take precedence. */
  hints: RegistrationHint[];
  /** Hint keys that the client declares. */
  regHints: readonly string[];
  /** Language of the page, which becomes that of the new user. */
  language: string;
  metadata: SignInMetadata & { clientId: string };
};

/**
 * Issues a `registration_token`, which the client can redeem once within an hour, and returns the client's registration
 * URL with it. Replaces an older registration of the same interaction.
 */
export async function beginRegistration(context: RegistrationDeps, input: NewRegistration): Promise<string> {
  const { uid, registrationUrl, language } = input;
  const { browser, ...metadata } = input.metadata;
  const foundHints = await findHints(context, { ...input, browser });
  const token = context.random.token();
  const now = context.clock.now();
  await issueOneTimeToken(context.store, {
    kind: "registration",
    slot: uid,
    tokenHash: hashToken(token),
    browserHash: hashToken(browser),
    clientId: metadata.clientId,
    payload: { stage: "begun", uid, ...foundHints, language, until: tokenExpiry(now).toISOString() },
    createdAt: now,
    expiresAt: rowExpiry(now),
  });
  await recordEvent(context, { type: "registration.begun", outcome: "ok", ...metadata });
  const url = new URL(registrationUrl);
  url.searchParams.set("registration_token", token);
  return url.href;
}

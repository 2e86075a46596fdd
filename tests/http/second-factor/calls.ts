import type { HttpResponse } from "#tests/support/browser-jar.ts";

import type { OpenStep } from "./steps.ts";

/** Returns status and body of the response to a JSON call. */
export function statusAndBody(response: HttpResponse): [status: number, body: unknown] {
  return [response.status, response.json()];
}

/** Returns the mfa_token in the response to a JSON call. Throws if the call was refused. */
export function tokenOf(response: HttpResponse): string {
  const { token } = Object(response.json());
  if (typeof token !== "string") throw new Error(`expected a token, got ${response.status}: ${response.body}`);
  return token;
}

/** The parameters of a security-key ceremony, from the JSON call that starts it. */
export type CeremonyOptions = { relyingPartyId: string; challenge: string; sessionId: string };

/** Starts a ceremony: a check (`/mfa/init-fido2`) or a registration (`/mfa/init-fido2-registration`). */
export async function startCeremony(
  step: OpenStep,
  path: "/mfa/init-fido2" | "/mfa/init-fido2-registration" = "/mfa/init-fido2",
): Promise<CeremonyOptions> {
  const response = await step.call(path);
  const { relyingPartyId, challenge, sessionId } = Object(response.json());
  if (typeof challenge !== "string") throw new Error(`expected a question, got ${response.status}: ${response.body}`);
  return { relyingPartyId, challenge, sessionId };
}

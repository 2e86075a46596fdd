import { PROVIDERS } from "#app/config/providers.ts";
import type { CountedEvent } from "#app/domain/audit/instrumentation.server.ts";

/** Maps event fields to metric labels. Other values become "other", so that no user input becomes a label. */

const FACTORS: Readonly<Record<string, string>> = {
  totp: "totp",
  "security key": "security_key",
  passkey: "passkey",
  "recovery code": "recovery_code",
};

/** Returns the first factor of a sign-in: `password`, `provider`, or `other` if the event has none. */
export function methodOf({ type, reason }: CountedEvent): string {
  if (type === "sign-in.throttled") return "password";
  const words = (reason ?? "").split(" ");
  if (words.includes("fed")) return "provider";
  return words.includes("pwd") || PASSWORD_REFUSALS.includes(reason ?? "") ? "password" : "other";
}

/** Reasons of refused passwords (domain/sign-in/with-password.server.ts). */
const PASSWORD_REFUSALS = ["unknown user", "blocked", "no password", "wrong password"];

/** Returns the kind of a second factor. */
export function factorOf({ reason }: CountedEvent): string {
  return FACTORS[reason ?? ""] ?? "other";
}

/** Returns the provider from a reason such as "google: state". */
export function providerOf({ reason }: CountedEvent): string {
  return PROVIDERS.find((provider) => reason?.startsWith(`${provider}:`)) ?? "other";
}

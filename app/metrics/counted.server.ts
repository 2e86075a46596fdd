import { z } from "zod";

/** How the words of an event become the words of a label. What is not in a list is "other": no text of a visitor gets here. */

const FACTORS: Readonly<Record<string, string>> = {
  totp: "totp",
  "security key": "security_key",
  "recovery code": "recovery_code",
};

const PROVIDERS = ["google", "microsoft", "apple"];

/** An event as the audit channel tells it (domain/audit/channel.server.ts). */
export const toldEvent = z.object({
  type: z.string(),
  outcome: z.enum(["ok", "refused", "failed"]),
  reason: z.string().nullable(),
});

type Told = z.infer<typeof toldEvent>;

/** What a sign-in began with: `password`, `provider`, or `other` where the event does not say. */
export function methodOf({ type, reason }: Told): string {
  if (type === "sign-in.throttled") return "password";
  const words = (reason ?? "").split(" ");
  if (words.includes("fed")) return "provider";
  return words.includes("pwd") || PASSWORD_REFUSALS.includes(reason ?? "") ? "password" : "other";
}

/** Why a password did not open (domain/sign-in/with-password.server.ts). */
const PASSWORD_REFUSALS = ["unknown user", "blocked", "no password", "wrong password"];

/** The kind of a second factor. */
export function factorOf({ reason }: Told): string {
  return FACTORS[reason ?? ""] ?? "other";
}

/** The provider that a reason such as "google: state" begins with. */
export function providerOf({ reason }: Told): string {
  return PROVIDERS.find((provider) => reason?.startsWith(`${provider}:`)) ?? "other";
}

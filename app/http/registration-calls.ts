import { z } from "zod";
import type { DocumentedCall } from "./documented-call.ts";

/** The calls of a client that registers users, below /api/v1/rpc/registration. */
export const REGISTRATION_CALLS = {
  redeemRegistration: {
    method: "POST",
    path: "redeem",
    summary: "Redeems a registration_token, once",
    schema: z.object({ registration_token: z.string().max(200) }),
    answer: z.strictObject({
      hints: z.record(z.string(), z.string()).describe("The details of the user that the client is registered for"),
      verified: z.array(z.string()).describe("The keys of the hints that an external provider has verified"),
      registration_id: z.string().describe("For the call `complete`, within 60 minutes"),
    }),
    refusals: { 400: ["registration not found"] },
  },
  completeRegistration: {
    method: "POST",
    path: "complete",
    summary: "Creates the account and sends its owner a link to choose a password",
    schema: z.object({
      registration_id: z.string().max(200),
      username: z.string(),
      display_name: z.string(),
      email: z.string(),
      picture: z.string().nullish().describe("An https URL"),
      address: z
        .record(z.string(), z.string())
        .nullish()
        .describe("Members of the address claim, OpenID Connect Core 1.0 section 5.1.1"),
    }),
    answer: z.strictObject({
      user_id: z.string(),
      callback_url: z.url().describe("Send the user's browser there within 60 minutes; the sign-in continues"),
    }),
    refusals: {
      400: ["registration not found", "username is empty", "username is invalid", "user is invalid"],
      409: ["username not available"],
      429: ["throttled"],
    },
  },
} as const satisfies Record<string, DocumentedCall>;

import { z } from "zod";
import type { ErrorCode } from "#app/domain/errors.ts";

/** Where all calls of the settings' API are. */
export const MANAGE_API = "/api/v1/rpc/user/manage";

/** The schema of a call that has no body. */
export const NO_BODY = z.undefined();

/** A call as it is documented: docs/openapi.json is made from these. */
export type DocumentedCall = {
  method: "GET" | "POST" | "PUT" | "DELETE";
  /** Below MANAGE_API; `{name}` stands for a part that varies. */
  path: string;
  summary: string;
  /** Of its JSON body, or NO_BODY. */
  schema: z.ZodType;
  /** What a call that succeeded answers. */
  answer: z.ZodType;
  /** Whether the last proof of identity must not be older than ten minutes. */
  isSensitive: boolean;
  /** The codes of its own, by status; what every call may answer is not repeated. */
  refusals: Readonly<Partial<Record<400 | 409 | 429 | 503, readonly ErrorCode[]>>>;
};

const NOTHING = z.strictObject({});

const base64 = z.base64();
const base64url = z.base64url();

export const MANAGE_CALLS = {
  initFido2: {
    method: "POST",
    path: "mfa-init-fido2",
    summary: "Begins to register a security key",
    schema: NO_BODY,
    answer: z.strictObject({
      relyingPartyId: z.string(),
      userId: base64,
      challenge: base64url,
      existingCredentialIds: z.array(base64url),
      sessionId: z.string(),
    }),
    isSensitive: true,
    refusals: { 400: ["security key refused"] },
  },
  verifyFido2: {
    method: "POST",
    path: "mfa-verify-fido2",
    summary: "Registers the security key that answered",
    schema: z.object({
      sessionId: z.string().max(200),
      credentialJson: z.string(),
      name: z.string().trim().max(64).optional(),
    }),
    answer: NOTHING,
    isSensitive: true,
    refusals: { 400: ["security key refused"], 429: ["throttled"] },
  },
} as const satisfies Record<string, DocumentedCall>;

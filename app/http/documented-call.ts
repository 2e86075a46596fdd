import { z } from "zod";
import type { ErrorCode } from "#app/domain/errors.ts";

/** The schema of a call whose payload is "none" in SPEC.md section 7: an empty body or a JSON object, which is ignored. */
export const NO_PAYLOAD = z.object({}).optional();

/** A call as it is documented: docs/openapi.json is made from these. */
export type DocumentedCall = {
  method: "GET" | "POST" | "PUT" | "DELETE";
  /** Below MANAGE_API; `{name}` stands for a part that varies. */
  path: string;
  summary: string;
  /** Of its JSON body, or NO_PAYLOAD. */
  schema: z.ZodType;
  /** What a call that succeeded answers. */
  answer: z.ZodType;
  /** Whether the last proof of identity must not be older than ten minutes. */
  isSensitive: boolean;
  /** The codes of its own, by status; what every call may answer is not repeated. */
  refusals: Readonly<Partial<Record<400 | 404 | 409 | 429 | 503, readonly ErrorCode[]>>>;
  /** What the answer to a refusal says beside its code. */
  details?: Readonly<Partial<Record<ErrorCode, z.ZodObject>>>;
};

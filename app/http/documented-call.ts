import { z } from "zod";
import type { ErrorCode } from "#app/domain/errors.ts";

/** The schema of a call whose payload is "none" in SPEC.md section 7: an empty body or a JSON object, which is ignored. */
export const NO_PAYLOAD = z.object({}).optional();

/** The statuses of a refusal. */
export type RefusalStatus = 400 | 401 | 403 | 404 | 409 | 413 | 415 | 429 | 500 | 503;

/** A call as it is documented: docs/openapi.json is made from these. */
export type DocumentedCall = {
  method: "GET" | "POST" | "PUT" | "DELETE";
  /** Below the address of its group of calls; `{name}` stands for a part that varies. */
  path: string;
  summary: string;
  /** Of its JSON body, or NO_PAYLOAD. */
  schema: z.ZodType;
  /** What a call that succeeded answers. */
  answer: z.ZodType;
  /** The codes of its own, by status; those of every call of its group are in scripts/describe-api.ts. */
  refusals: Readonly<Partial<Record<RefusalStatus, readonly ErrorCode[]>>>;
  /** What the answer to a refusal says beside its code. */
  details?: Readonly<Partial<Record<ErrorCode, z.ZodObject>>>;
};

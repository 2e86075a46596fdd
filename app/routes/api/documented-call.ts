import { z } from "zod";
import type { ErrorCode } from "#app/domain/base/errors.ts";

/** Schema of a call whose payload is "none" in section 7 of the specification: an empty body or a JSON object, which is ignored. */
export const NO_PAYLOAD = z.object({}).optional();

/** HTTP statuses of error responses. */
export type RefusalStatus = 400 | 401 | 403 | 404 | 409 | 413 | 415 | 429 | 500 | 503;

/** The documented part of a JSON call, from which docs/openapi.json is generated. */
export type DocumentedCall = {
  method: "GET" | "POST" | "PUT" | "DELETE";
  /** Relative to the base of the call's group; `{name}` is a parameter. */
  path: string;
  summary: string;
  /** Schema of the JSON body, or NO_PAYLOAD. */
  schema: z.ZodType;
  /** Schema of the response with status 200. */
  response: z.ZodType;
  /** Error codes of this call by status. Those of all calls of a group are in scripts/describe-api.ts. */
  refusals: Readonly<Partial<Record<RefusalStatus, readonly ErrorCode[]>>>;
  /** Further members of the error response by code. */
  details?: Readonly<Partial<Record<ErrorCode, z.ZodObject>>> | undefined;
};

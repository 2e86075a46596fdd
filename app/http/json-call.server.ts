import type { z } from "zod";
import type { AppContext } from "#app/context.server.ts";
import type { ErrorCode } from "#app/domain/base/errors.ts";
import type { RequestContext } from "./load-context.server.ts";
import { isOwnLoginForm } from "./own-form.server.ts";

/** A JSON call: the bearer token, not yet checked, and the body. */
type JsonCall<Body> = { bearer: string; body: Body };

const BEARER = /^Bearer +([\w.~+/-]{1,200}=*)$/i;
const MAX_BODY_BYTES = 64 * 1024;

/** A body that matches its schema, or the status of the error response. */
type Body<Value> = { kind: "read"; value: Value } | { kind: "refused"; status: 400 | 415 };

/**
 * Reads a call of the second-factor step: POST, JSON, X-XSRF-Token and a bearer token.
 * Throws a Response 405 for another method, 415 for a body that is not JSON, 403 `xsrf`, 401 `unauthorized` without a
 * bearer token, 400 for a body that does not match the schema.
 */
export async function readJsonCall<S extends z.ZodType>(
  context: AppContext & RequestContext,
  request: Request,
  schema: S,
): Promise<JsonCall<z.output<S>>> {
  if (request.method !== "POST") throw methodNotAllowed();
  const body = await readBody(request, schema);
  if (body.kind === "refused" && body.status === 415) throw errorResponse(415, "bad request");
  if (!(await isOwnLoginForm(context, request.headers.get("x-xsrf-token") ?? ""))) throw errorResponse(403, "xsrf");
  const bearer = readBearer(request);
  if (!bearer) throw errorResponse(401, "unauthorized");
  if (body.kind === "refused") throw errorResponse(400, "bad request");
  return { bearer, body: body.value };
}

/**
 * Reads a JSON body. If the schema accepts undefined (NO_PAYLOAD), the body may be empty with any content type, because
 * HTTP libraries omit the content type or add their own.
 */
export async function readBody<S extends z.ZodType>(request: Request, schema: S): Promise<Body<z.output<S>>> {
  const text = await request.text();
  const isOmitted = text === "" && schema.safeParse(undefined).success;
  if (!isOmitted && !isJson(request)) return { kind: "refused", status: 415 };
  // null, which no schema accepts, stands for text that is not JSON.
  const parsed = schema.safeParse(isOmitted ? undefined : (parseJson(text) ?? null));
  return parsed.success ? { kind: "read", value: parsed.data } : { kind: "refused", status: 400 };
}

/** Throws a Response 405 for another method than POST, 415 for anything but JSON. */
export function requireJsonPost(request: Request): void {
  if (request.method !== "POST") throw methodNotAllowed();
  if (!isJson(request)) throw errorResponse(415, "bad request");
}

/** Returns the 405 response for other methods, which is also the loader of these calls. */
export function methodNotAllowed(): Response {
  return errorResponse(405, "bad request", { headers: { Allow: "POST" } });
}

/** Returns the response to a successful call. */
export function jsonResponse(body: object): Response {
  return Response.json(body);
}

/** Returns the error response `{ "error": code }`, with additional members `details`. */
export function errorResponse(
  status: number,
  code: ErrorCode,
  { details = {}, headers = {} }: { details?: object; headers?: Record<string, string> } = {},
): Response {
  return Response.json({ error: code, ...details }, { status, headers });
}

/** Returns the bearer token of a call, unchecked; null if missing (RFC 6750 §2.1). */
export function readBearer(request: Request): string | null {
  return BEARER.exec(request.headers.get("authorization") ?? "")?.[1] ?? null;
}

/** Returns true if the content type is JSON. */
export function isJson(request: Request): boolean {
  const [type = ""] = (request.headers.get("content-type") ?? "").toLowerCase().split(";");
  return type.trim() === "application/json";
}

/** Returns the parsed body, unchecked; undefined if it is not JSON or too long. */
export async function readJson(request: Request): Promise<unknown> {
  return parseJson(await request.text());
}

/** Rejects a NUL character in a value, as in forms: PostgreSQL cannot store it. */
function parseJson(text: string): unknown {
  try {
    return text.length > MAX_BODY_BYTES ? undefined : JSON.parse(text, rejectNul);
  } catch {
    return undefined;
  }
}

function rejectNul(_key: string, value: unknown): unknown {
  if (typeof value === "string" && value.includes("\0")) throw new SyntaxError("NUL in a text");
  return value;
}

import type { z } from "zod";
import type { AppContext } from "#app/context.server.ts";
import type { ErrorCode } from "#app/domain/errors.ts";
import type { RequestContext } from "./load-context.server.ts";
import { isOwnLoginForm } from "./own-form.server.ts";

/** What a JSON call brought: the bearer token, unchecked, and its body. */
export type JsonCall<Body> = { bearer: string; body: Body };

const BEARER = /^Bearer ([\w.~+/-]{1,200}=*)$/i;
const MAX_BODY_BYTES = 64 * 1024;

/** A body that matches its schema, or the status of the response that refuses it. */
export type Body<Value> = { kind: "read"; value: Value } | { kind: "refused"; status: 400 | 415 };

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
  if (request.method !== "POST") throw refuseReading();
  const body = await readBody(request, schema);
  if (body.kind === "refused" && body.status === 415) throw answerError(415, "bad request");
  if (!(await isOwnLoginForm(context, request.headers.get("x-xsrf-token") ?? ""))) throw answerError(403, "xsrf");
  const bearer = readBearer(request);
  if (!bearer) throw answerError(401, "unauthorized");
  if (body.kind === "refused") throw answerError(400, "bad request");
  return { bearer, body: body.value };
}

/**
 * Reads a JSON body. Where the schema accepts undefined (NO_PAYLOAD), the body may be empty, of any content type: HTTP
 * libraries leave the content type out or add their own.
 */
export async function readBody<S extends z.ZodType>(request: Request, schema: S): Promise<Body<z.output<S>>> {
  const text = await request.text();
  const isLeftOut = text === "" && schema.safeParse(undefined).success;
  if (!isLeftOut && !isJson(request)) return { kind: "refused", status: 415 };
  // JSON has no undefined: null, which no schema of ours accepts, stands for text that is not JSON.
  const parsed = schema.safeParse(isLeftOut ? undefined : (parseJson(text) ?? null));
  return parsed.success ? { kind: "read", value: parsed.data } : { kind: "refused", status: 400 };
}

/** Throws a Response 405 for another method than POST, 415 for anything but JSON. */
export function requireJsonPost(request: Request): void {
  if (request.method !== "POST") throw refuseReading();
  if (!isJson(request)) throw answerError(415, "bad request");
}

/** The loader of every such call, and the answer to all other methods: 405. */
export function refuseReading(): Response {
  return answerError(405, "bad request", { headers: { Allow: "POST" } });
}

/** The answer to a call that succeeded. */
export function answerJson(body: object): Response {
  return Response.json(body);
}

/** `{ "error": code }` with this status, and what else the caller may know. */
export function answerError(
  status: number,
  code: ErrorCode,
  { facts = {}, headers = {} }: { facts?: object; headers?: Record<string, string> } = {},
): Response {
  return Response.json({ error: code, ...facts }, { status, headers });
}

/** The bearer token of a call, unchecked; null without one. RFC 6750 section 2.1. */
export function readBearer(request: Request): string | null {
  return BEARER.exec(request.headers.get("authorization") ?? "")?.[1] ?? null;
}

/** Whether a call says that its body is JSON. */
export function isJson(request: Request): boolean {
  const [type = ""] = (request.headers.get("content-type") ?? "").toLowerCase().split(";");
  return type.trim() === "application/json";
}

/** The body of a call, unchecked; undefined where it is no JSON, or far too long. */
export async function readJson(request: Request): Promise<unknown> {
  return parseJson(await request.text());
}

function parseJson(text: string): unknown {
  try {
    return text.length > MAX_BODY_BYTES ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

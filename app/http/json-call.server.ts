import type { z } from "zod";
import type { AppContext, RequestFacts } from "#app/context.server.ts";
import type { ErrorCode } from "#app/domain/errors.ts";
import { isOwnLoginForm } from "./own-form.server.ts";

/** What a JSON call brought: the bearer token, unchecked, and its body. */
export type JsonCall<Body> = { bearer: string; body: Body };

const BEARER = /^Bearer ([\w.~+/-]{1,200}=*)$/i;
const MAX_BODY_BYTES = 64 * 1024;

/**
 * Reads a call of the second-factor step: POST, JSON, X-XSRF-Token and a bearer token.
 * Throws a Response 405 for another method, 415 for anything but JSON, 403 `xsrf`, 401 `unauthorized` without a bearer
 * token, 400 for a body that is no JSON or none of this schema.
 */
export async function readJsonCall<S extends z.ZodType>(
  context: AppContext & RequestFacts,
  request: Request,
  schema: S,
): Promise<JsonCall<z.output<S>>> {
  requireJsonPost(request);
  if (!(await isOwnLoginForm(context, request.headers.get("x-xsrf-token") ?? ""))) throw answerError(403, "xsrf");
  const bearer = readBearer(request);
  if (!bearer) throw answerError(401, "unauthorized");
  const parsed = schema.safeParse(await readJson(request));
  if (!parsed.success) throw answerError(400, "bad request");
  return { bearer, body: parsed.data };
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
  try {
    const text = await request.text();
    return text.length > MAX_BODY_BYTES ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

import type { z } from "zod";
import type { SettingsAccess } from "#app/domain/settings/access.ts";
import { advanceChain } from "#app/domain/settings/chain.server.ts";
import { answerError, readBearer, readBody } from "./json-call.server.ts";
import type { LoadContext } from "./load-context.server.ts";
import { logError } from "./log-error.server.ts";

/** The header with the token of the next call. */
export const NEXT_TOKEN_HEADER = "x-api-next-token";

/** One call of the settings' API. `schema`: of its JSON body, or NO_PAYLOAD (documented-call.ts). */
export type ApiCall<S extends z.ZodType> = {
  method: "GET" | "POST" | "PUT" | "DELETE";
  /** The other method of the same address, if it has one. */
  otherMethod?: "GET" | "PUT";
  schema: S;
  handle(access: SettingsAccess, body: z.output<S>): Promise<Response>;
};

/**
 * Answers a call of the settings' API. The bearer token is validated and spent first, before anything else of the call is
 * looked at: without a good one, 401 `unauthorized`, and nothing happens. Every other answer carries the token of the
 * next call: 405 for another method, 415 for a body that is not JSON, 400 for one that does not match the schema, 500 for a
 * defect. Cookies are never read.
 */
export async function answerCall<S extends z.ZodType>(
  context: LoadContext,
  request: Request,
  call: ApiCall<S>,
): Promise<Response> {
  const bearer = readBearer(request);
  const accepted = bearer === null ? null : await advanceChain(context, bearer);
  if (!accepted) return answerError(401, "unauthorized", { headers: { "WWW-Authenticate": "Bearer" } });
  const answer = await carryOut(context, request, call, accepted.access);
  answer.headers.set(NEXT_TOKEN_HEADER, accepted.nextToken);
  return answer;
}

async function carryOut<S extends z.ZodType>(
  context: LoadContext,
  request: Request,
  { method, otherMethod, schema, handle }: ApiCall<S>,
  access: SettingsAccess,
): Promise<Response> {
  try {
    if (request.method !== method) {
      const allowed = otherMethod ? `${otherMethod}, ${method}` : method;
      return answerError(405, "bad request", { headers: { Allow: allowed } });
    }
    const body = await readBody(request, schema);
    return body.kind === "read"
      ? await handle(access, body.value)
      : answerError(body.status, "Could not parse request");
  } catch (error) {
    if (error instanceof Response) return error;
    logError(context.log, error, { requestId: context.requestId, path: new URL(request.url).pathname });
    return Response.json({ error: "internal" }, { status: 500 });
  }
}

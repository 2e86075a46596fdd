import type { z } from "zod";
import { readSubmission } from "#app/http/form.server.ts";
import { errorResponse, methodNotAllowed, readJson, requireJsonPost } from "#app/http/json-call.server.ts";
import type { LoadContext } from "#app/http/load-context.server.ts";
import { authenticateClient } from "#app/oidc/authenticate-client.server.ts";

/** The id of the authenticated client, and the body. */
type ClientCall<Body> = { clientId: string; body: Body };

/**
 * Reads a call of a client: POST, JSON, authenticated with the client secret. Throws a Response 405 for another method, 415
 * for a body that is not JSON, 401 `unauthorized`, 400 for a body that does not match the schema.
 */
export async function readClientCall<S extends z.ZodType>(
  context: LoadContext,
  request: Request,
  schema: S,
): Promise<ClientCall<z.output<S>>> {
  requireJsonPost(request);
  const body = await readJson(request);
  const clientId = await requireClient(context, request, body);
  const parsed = schema.safeParse(body);
  if (!parsed.success) throw errorResponse(400, "bad request");
  return { clientId, body: parsed.data };
}

/**
 * Reads a form that a client posts, authenticated as at the token endpoint with the secret in the Authorization header or in
 * the form. `schema` describes the other fields. Throws a Response 405 for another method, 415 for a body that is not a
 * form, 401 `unauthorized`, 400 for a form that does not match the schema.
 */
export async function readClientForm<Shape extends z.ZodRawShape>(
  context: LoadContext,
  request: Request,
  schema: z.ZodObject<Shape>,
): Promise<{ clientId: string; form: z.output<z.ZodObject<Shape>> }> {
  if (request.method !== "POST") throw methodNotAllowed();
  const fieldNames = [...Object.keys(schema.shape), "client_id", "client_secret"];
  const { submission } = await readSubmission(request, { schema, fieldNames }).catch(asJson);
  const clientId = await requireClient(context, request, submission.payload);
  if (submission.status !== "success") throw errorResponse(400, "bad request");
  return { clientId, form: submission.value };
}

async function requireClient(context: LoadContext, request: Request, body: unknown): Promise<string> {
  const clientId = await authenticateClient(context, { authorization: request.headers.get("authorization"), body });
  if (clientId !== null) return clientId;
  const headers = { "WWW-Authenticate": `Basic realm="${context.config.issuer}"` };
  throw errorResponse(401, "unauthorized", { headers });
}

/** Clients get JSON errors for forms, too. */
function asJson(error: unknown): never {
  throw error instanceof Response ? errorResponse(error.status, "bad request") : error;
}

import type { z } from "zod";
import { answerError, readJson, requireJsonPost } from "#app/http/json-call.server.ts";
import type { LoadContext } from "#app/http/load-context.server.ts";
import { authenticateClient } from "#app/oidc/authenticate-client.server.ts";

/** What an application sent, and as which client it has proved itself. */
type ClientCall<Body> = { clientId: string; body: Body };

/**
 * Reads a call of an application to one of our own addresses: POST, JSON, authenticated by the client's secret.
 * Throws a Response 405 for another method, 415 for anything but JSON, 401 `unauthorized`, 400 for a body that is no JSON or
 * none of this schema.
 */
export async function readClientCall<S extends z.ZodType>(
  context: LoadContext,
  request: Request,
  schema: S,
): Promise<ClientCall<z.output<S>>> {
  requireJsonPost(request);
  const body = await readJson(request);
  const clientId = await authenticateClient(context, { authorization: request.headers.get("authorization"), body });
  if (clientId === null) {
    const headers = { "WWW-Authenticate": `Basic realm="${context.config.issuer}"` };
    throw answerError(401, "unauthorized", { headers });
  }
  const parsed = schema.safeParse(body);
  if (!parsed.success) throw answerError(400, "bad request");
  return { clientId, body: parsed.data };
}

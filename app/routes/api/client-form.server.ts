import type { z } from "zod";
import { readForm } from "#app/http/form.server.ts";
import { answerError, refuseReading } from "#app/http/json-call.server.ts";
import type { LoadContext } from "#app/http/load-context.server.ts";
import { authenticateClient } from "#app/oidc/authenticate-client.server.ts";

const CLIENT_FIELDS = ["client_id", "client_secret"];

/**
 * Reads a form that an application posts to one of our own addresses, authenticated as at the token endpoint, by its
 * secret in the header or in the form. `schema` reads the rest of it.
 * Throws a Response 405 for another method, 415 for anything but a form, 401 `unauthorized`, 400 for a form that is none
 * of this schema.
 */
export async function readClientForm<Shape extends z.ZodRawShape>(
  context: LoadContext,
  request: Request,
  schema: z.ZodObject<Shape>,
): Promise<{ clientId: string; form: z.output<z.ZodObject<Shape>> }> {
  if (request.method !== "POST") throw refuseReading();
  const fields = [...Object.keys(schema.shape), ...CLIENT_FIELDS];
  const form = await readForm(request, schema.loose(), fields).catch(asJson);
  const proof = { authorization: request.headers.get("authorization"), body: form.ok ? form.value : form.values };
  const clientId = await authenticateClient(context, proof);
  if (clientId === null) {
    const headers = { "WWW-Authenticate": `Basic realm="${context.config.issuer}"` };
    throw answerError(401, "unauthorized", { headers });
  }
  const parsed = schema.safeParse(form.ok ? form.value : {});
  if (!parsed.success) throw answerError(400, "bad request");
  return { clientId, form: parsed.data };
}

/** A program is answered in JSON, also where the form is none. */
function asJson(error: unknown): never {
  throw error instanceof Response ? answerError(error.status, "bad request") : error;
}

import { z } from "zod";
import type { Provider } from "#app/config/providers.ts";
import { type AuditDeps, recordEvent } from "#app/domain/audit/record.server.ts";
import { lineSchema } from "#app/domain/base/line-schema.ts";
import { type AttemptDeps, storePosted } from "./attempt.server.ts";

/** Parameters of an authorization response (RFC 6749 §4.1.2, RFC 9207); other form fields are ignored. */
const PARAMETERS = ["code", "state", "iss", "error", "error_description"];

/** Maximum length of a parameter, in characters. */
const LONGEST_PARAMETER = 2048;

/** The user's name, which Apple posts beside the code at the first sign-in only; no token contains it. */
const userSchema = z.object({
  name: z.object({ firstName: z.string().default(""), lastName: z.string().default("") }),
});

const nameSchema = lineSchema(200);

/**
 * Stores an authorization response that a provider sent by cross-site form_post, which carries no SameSite=Lax cookie,
 * until the browser collects it.
 * @returns the one-time id for the browser, or null if no attempt matches
 */
export async function receivePostedResponse(
  context: AttemptDeps & AuditDeps,
  {
    provider,
    form,
    address,
    requestId,
  }: { provider: Provider; form: URLSearchParams; address: string; requestId: string },
): Promise<string | null> {
  const parameters = parametersOf(form);
  const response = parameters && { provider, parameters, name: nameOf(form.get("user")) };
  const id = response && (await storePosted(context, response));
  if (id === null) {
    const metadata = { reason: `${provider}: state`, address, requestId };
    await recordEvent(context, { type: "provider.refused", outcome: "refused", ...metadata });
  }
  return id;
}

/** Returns null if a parameter is repeated (RFC 6749 §3.1) or too long. */
function parametersOf(form: URLSearchParams): URLSearchParams | null {
  const found = PARAMETERS.map((name) => ({ name, values: form.getAll(name) }));
  if (found.some(({ values }) => values.length > 1 || (values[0] ?? "").length > LONGEST_PARAMETER)) return null;
  return new URLSearchParams(
    found.flatMap(({ name, values: [value] }) => (value === undefined ? [] : [[name, value]])),
  );
}

function nameOf(user: string | null): string | null {
  try {
    const { name } = userSchema.parse(JSON.parse(user ?? "null"));
    return nameSchema.parse(`${name.firstName} ${name.lastName}`);
  } catch {
    return null;
  }
}

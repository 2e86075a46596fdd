import { z } from "zod";
import { type AuditDeps, recordEvent } from "#app/domain/audit/record.server.ts";
import { lineSchema } from "#app/domain/line-schema.ts";
import { type AttemptDeps, keepPosted } from "./attempt.server.ts";

/** What an answer consists of; all else of a posted form is left out. RFC 6749 section 4.1.2, RFC 9207. */
const PARAMETERS = ["code", "state", "iss", "error", "error_description"];

/** Characters of one of them: codes are short. */
const LONGEST_PARAMETER = 2048;

/** The name that Apple posts beside the code of the first sign-in. It stands in no token. */
const userSchema = z.object({
  name: z.object({ firstName: z.string().default(""), lastName: z.string().default("") }),
});

const nameSchema = lineSchema(200);

/**
 * Takes an answer that Apple posted across sites, where no cookie of ours comes along (docs: "Sign in with Apple",
 * form_post). It is kept with the attempt until the browser comes for it.
 * @returns the one-time id with which the browser comes; null where nobody waits for this answer
 */
export async function takePostedAnswer(
  context: AttemptDeps & AuditDeps,
  { form, address, requestId }: { form: URLSearchParams; address: string; requestId: string },
): Promise<string | null> {
  const parameters = answerOf(form);
  const kept = parameters && { provider: "apple" as const, parameters, name: nameOf(form.get("user")) };
  const id = kept && (await keepPosted(context, kept));
  if (id === null) {
    const facts = { reason: "apple: state", address, requestId };
    await recordEvent(context, { type: "provider.refused", outcome: "refused", ...facts });
  }
  return id;
}

/** Null for a form that says something twice, or at such length that no provider says it. */
function answerOf(form: URLSearchParams): URLSearchParams | null {
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

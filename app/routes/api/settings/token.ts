import type { ActionFunctionArgs } from "@remix-run/node";
import { assertNever } from "#app/domain/assert-never.ts";
import { openForClient } from "#app/domain/settings/open-for-client.server.ts";
import { answerError, answerJson, refuseReading } from "#app/http/json-call.server.ts";
import { OPENING_CALL } from "#app/http/settings-calls.ts";
import { findSessionOfToken } from "#app/oidc/token-session.server.ts";
import { readClientForm } from "#app/routes/api/client-form.server.ts";

export const loader = refuseReading;

/** Gives an application an address that opens the settings of the person it acts for, once. */
export async function action({ context, request }: ActionFunctionArgs) {
  const { clientId, form } = await readClientForm(context, request, OPENING_CALL.schema);
  const session = await findSessionOfToken(context, { accessToken: form.access_token, clientId });
  const { address, requestId } = context;
  const returnToUrl = form.return_to_url ?? null;
  const outcome = await openForClient(context, { session, clientId, returnToUrl, address, requestId });
  switch (outcome.kind) {
    case "opened":
      return answerJson({ url: outcome.url, expires_in: outcome.expiresInSeconds });
    case "refused":
      return answerError(403, "unauthorized");
    case "return url refused":
      return answerError(400, "redirect uri is invalid");
    default:
      return assertNever(outcome);
  }
}

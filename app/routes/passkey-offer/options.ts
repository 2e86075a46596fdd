import type { ActionFunctionArgs } from "@remix-run/node";
import { z } from "zod";
import { startOfferedPasskey } from "#app/domain/webauthn/offered-passkey.server.ts";
import {
  errorResponse,
  jsonResponse,
  methodNotAllowed,
  readBody,
  requireJsonPost,
} from "#app/http/json-call.server.ts";
import { isOwnForm } from "#app/http/own-form.server.ts";
import { requireOffer, signInOf } from "./passkey-offer.server.ts";

const callSchema = z.strictObject({ login_challenge: z.string() });

export function loader() {
  throw methodNotAllowed();
}

/** Responds to the script of the offer with the options of the registration, as JSON. */
export async function action({ context, request }: ActionFunctionArgs) {
  requireJsonPost(request);
  const body = await readBody(request, callSchema);
  if (body.kind === "refused") return errorResponse(body.status, "bad request");
  if (!(await isOwnForm(context, request.headers.get("x-xsrf-token") ?? ""))) return errorResponse(403, "xsrf");
  const offer = await requireOffer(context, body.value.login_challenge);
  const outcome = await startOfferedPasskey(context, signInOf(context, offer));
  switch (outcome.kind) {
    case "started": {
      const { kind: _kind, ...started } = outcome;
      return jsonResponse(started);
    }
    case "unauthorized":
      return errorResponse(401, "unauthorized");
    case "reauthentication_required":
      return errorResponse(403, "reauthentication_required");
    default:
      return errorResponse(400, "security key refused", { details: { reason: outcome.kind } });
  }
}

import type { LoaderFunctionArgs } from "@remix-run/node";
import { startOwnTotp } from "#app/domain/settings/totp.server.ts";
import { answerJson } from "#app/http/json-call.server.ts";
import { drawQrCode } from "#app/http/qr-code.server.ts";
import { answerCall } from "#app/http/settings-api.server.ts";
import { MANAGE_CALLS } from "#app/http/settings-calls.ts";
import { settingsAnswer } from "#app/http/settings-response.server.ts";

/** Begins to set up an authenticator app. */
export async function action({ context, request }: LoaderFunctionArgs) {
  return answerCall(context, request, {
    ...MANAGE_CALLS.initTotp,
    handle: async (access) => {
      const outcome = await startOwnTotp(context, access);
      if (outcome.kind !== "started") return settingsAnswer(outcome);
      return answerJson({ qr_code: await drawQrCode(outcome.otpauthUri), secret: outcome.secretBase32 });
    },
  });
}

/** The answer to GET: 405. */
export const loader = action;

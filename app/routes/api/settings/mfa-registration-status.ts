import type { LoaderFunctionArgs } from "@remix-run/node";
import { findFactors } from "#app/domain/second-factor/factors.server.ts";
import { answerJson } from "#app/http/json-call.server.ts";
import { answerCall } from "#app/http/settings-api.server.ts";
import { MANAGE_CALLS } from "#app/http/settings-calls.ts";

/** Which second factors the person has. */
export async function loader({ context, request }: LoaderFunctionArgs) {
  return answerCall(context, request, {
    ...MANAGE_CALLS.factors,
    handle: async ({ userId }) => {
      const { totp, securityKeys } = await findFactors(context.store, userId);
      return answerJson({ totp_registered: totp, count_registered_fido2_devices: securityKeys });
    },
  });
}

/** The answer to all other methods: 405. */
export const action = loader;

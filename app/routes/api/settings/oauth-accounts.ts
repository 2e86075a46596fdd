import type { LoaderFunctionArgs } from "@remix-run/node";
import { listExternalAccounts } from "#app/domain/external-account/list.server.ts";
import { answerJson } from "#app/http/json-call.server.ts";
import { answerCall } from "#app/http/settings-api.server.ts";
import { MANAGE_CALLS } from "#app/http/settings-calls.ts";

/** The person's accounts at other providers. */
export async function loader({ context, request }: LoaderFunctionArgs) {
  return answerCall(context, request, {
    ...MANAGE_CALLS.accounts,
    handle: async ({ userId }) => answerJson(await listExternalAccounts(context.store, userId)),
  });
}

/** The answer to all other methods: 405. */
export const action = loader;

import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/node";
import { openSettings } from "./open-settings.server.ts";
import { REGISTRATION_API, respondToRegistrationCall } from "./registration-calls.server.ts";
import { respondToSecondFactorCall, SECOND_FACTOR_API } from "./second-factor-calls.server.ts";
import { respondToSettingsCall, SETTINGS_API } from "./settings-calls.server.ts";

/** Groups of calls by base URL. Each group authenticates its calls in its own way. */
const GROUPS = [
  { base: `${SETTINGS_API}/token`, respond: openSettings },
  { base: SETTINGS_API, respond: respondToSettingsCall },
  { base: SECOND_FACTOR_API, respond: respondToSecondFactorCall },
  { base: REGISTRATION_API, respond: respondToRegistrationCall },
] as const;

/** Responds to every JSON call; app/routes.ts lists their paths. */
export async function loader({ context, request }: LoaderFunctionArgs) {
  const { pathname } = new URL(request.url);
  // Remix matches paths regardless of case and of a trailing slash.
  const group = GROUPS.find(({ base }) => `${pathname.toLowerCase()}/`.startsWith(`${base}/`));
  if (!group) throw new Error("app/routes.ts lists a path that is in no table of calls");
  return group.respond({ context, request, path: pathname.slice(group.base.length + 1) });
}

export async function action(args: ActionFunctionArgs) {
  return loader(args);
}

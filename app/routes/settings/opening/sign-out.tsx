import type { ActionFunctionArgs } from "@remix-run/node";
import { endPageSession } from "#app/domain/access/page-session.server.ts";
import { recordEvent } from "#app/domain/audit/record.server.ts";
import { settingsCookie } from "#app/http/cookies.server.ts";
import { defineForm } from "#app/http/define-form.server.ts";
import { readForm } from "#app/http/form.server.ts";
import { refusal } from "#app/http/refusal.server.ts";
import { clearSiteData, redirect303 } from "#app/http/reply.server.ts";
import { findSettings, isOwnSettingsForm, UNAUTHORIZED_URL } from "#app/http/settings-session.server.ts";
import { ENGINE_ROUTES } from "#app/oidc/paths.ts";

const signOutForm = defineForm({});

/** Redirects a GET to the page with the sign-out form, because a GET must not end a session (RFC 9110 §9.2.1). */
export function loader() {
  return redirect303("/manage");
}

/**
 * Closes the settings in this browser. A browser with a session continues to the logout confirmation (end_session).
 * Settings that an administrator's link opened have no session: they are closed and the sign-out is complete.
 */
export async function action({ context, request }: ActionFunctionArgs) {
  const { config } = context;
  const access = await findSettings(context, request);
  if (!access) return redirect303(UNAUTHORIZED_URL);
  const { _xsrf } = await readForm(request, signOutForm);
  if (!isOwnSettingsForm(context, access, _xsrf)) throw refusal(403, "xsrf");
  await endPageSession(context, settingsCookie.read(config, request.headers.get("cookie")));
  const headers = { ...clearSiteData, "Set-Cookie": settingsCookie.clear(config) };
  const session = await context.session();
  if (session?.accountId) return redirect303(ENGINE_ROUTES.end_session, headers);
  const { address, requestId } = context;
  await recordEvent(context, { type: "sign-out", outcome: "ok", userId: access.userId, address, requestId });
  return redirect303("/logout/callback", headers);
}

/** Never rendered. With a component, Remix renders the error page for a refused form. */
export default function SignOut(): null {
  return null;
}

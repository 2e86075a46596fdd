import type { ActionFunctionArgs } from "@remix-run/node";
import { forgetDevice } from "#app/domain/remembered-device/own-devices.server.ts";
import { defineForm, text } from "#app/http/define-form.server.ts";
import { readForm } from "#app/http/form.server.ts";
import { refusal } from "#app/http/refusal.server.ts";
import { redirect303 } from "#app/http/reply.server.ts";
import { requestMetadata } from "#app/http/request-metadata.server.ts";
import { isOwnSettingsForm, lostFormUrl, requireSettings } from "#app/http/settings-session.server.ts";

const SESSIONS_PATH = "/manage/sessions";

const forgetForm = defineForm({ device: text() });

/** Redirects a GET to the page with the form, because a GET must not change anything (RFC 9110 §9.2.1). */
export function loader() {
  return redirect303(SESSIONS_PATH);
}

/** Forgets one remembered device of the user. */
export async function action({ context, request }: ActionFunctionArgs) {
  const { access } = await requireSettings(context, request);
  const { _xsrf, device: id } = await readForm(request, forgetForm);
  if (!isOwnSettingsForm(context, access, _xsrf)) throw refusal(403, "xsrf");
  const outcome = await forgetDevice(context, access, { ...requestMetadata(context), id });
  if (outcome.kind === "unauthorized") return redirect303(lostFormUrl(SESSIONS_PATH));
  // A device that was forgotten in the meantime is a success, too.
  return redirect303(`${SESSIONS_PATH}?status=device-forgotten`);
}

/** Never rendered. With a component, Remix renders the error page for a refused form. */
export default function ForgetDevice(): null {
  return null;
}

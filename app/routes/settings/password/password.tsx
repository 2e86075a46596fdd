import { type ActionFunctionArgs, data, type HeadersArgs, type LoaderFunctionArgs } from "@remix-run/node";
import { useActionData, useLoaderData } from "@remix-run/react";
import { z } from "zod";
import { changePassword } from "#app/domain/password/change.server.ts";
import { requestMetadata } from "#app/http/factor-response.server.ts";
import { readForm } from "#app/http/form.server.ts";
import { OVERLOAD_HEADERS, orOverloaded } from "#app/http/overload.server.ts";
import { redirect303 } from "#app/http/reply.server.ts";
import { isOwnSettingsForm, requireFreshSettings } from "#app/http/settings-session.server.ts";
import { redirectNotAllowed, throttledProblem } from "#app/routes/settings/change.server.ts";
import { type PasswordProblem, passwordChangeView } from "#app/routes/settings/credentials.server.ts";
import { useDocumentState } from "#app/routes/settings/page.tsx";
import { PasswordChangeScreen } from "./password-page.tsx";

const FIELDS = ["_xsrf", "password", "newPassword", "newPasswordRepeat", "endOthers"];

const schema = z.object({
  _xsrf: z.string().default(""),
  password: z.string().default(""),
  newPassword: z.string().default(""),
  newPasswordRepeat: z.string().default(""),
  endOthers: z.string().default(""),
});

export async function loader({ context, request }: LoaderFunctionArgs) {
  if (context.isPosted) return null;
  const settings = await requireFreshSettings(context, request);
  const view = await passwordChangeView(context, request, settings);
  return data(view, view.status);
}

export async function action({ context, request }: ActionFunctionArgs) {
  const settings = await requireFreshSettings(context, request);
  const form = await readForm(request, schema, FIELDS);
  const { _xsrf, endOthers: ticked, ...passwords } = schema.parse(form.ok ? form.value : form.values);
  const endOthers = ticked !== "";
  const again = async (problem: Omit<PasswordProblem, "endsOthers">, headers: Record<string, string> = {}) => {
    const view = await passwordChangeView(context, request, settings, { ...problem, endsOthers: endOthers });
    return data(view, { status: view.status, headers });
  };

  if (!isOwnSettingsForm(context, settings.access, _xsrf)) return again({ error: "xsrf" });
  if (!form.ok) return again({ error: "Could not parse request" });
  const input = { ...requestMetadata(context), ...passwords, endOthers };
  const outcome = await orOverloaded(() => changePassword(context, settings.access, input));
  switch (outcome.kind) {
    case "done":
      context.mail.wake();
      context.logouts.wake();
      return redirect303("/manage?status=password-success");
    case "refused":
      return again({ error: outcome.code, rules: outcome.rules, containsName: outcome.containsName });
    case "throttled":
      return again(...throttledProblem(outcome));
    case "overloaded":
      return again({ error: "overloaded" }, OVERLOAD_HEADERS);
    default:
      return redirectNotAllowed(outcome, "/manage/credentials/password");
  }
}

/** How long to wait, where an attempt was not heard or there was no room to hash. */
export function headers({ actionHeaders }: HeadersArgs) {
  return actionHeaders;
}

export default function ChangePassword() {
  const shown = useLoaderData<typeof loader>();
  const view = useDocumentState(useActionData<typeof action>() ?? shown);
  return view && <PasswordChangeScreen {...view} />;
}

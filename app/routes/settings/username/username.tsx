import { type ActionFunctionArgs, data, type HeadersArgs, type LoaderFunctionArgs } from "@remix-run/node";
import { useActionData, useLoaderData } from "@remix-run/react";
import { z } from "zod";
import { changeUsername } from "#app/domain/username/change.server.ts";
import { requestMetadata } from "#app/http/factor-response.server.ts";
import { readForm } from "#app/http/form.server.ts";
import { redirect303 } from "#app/http/reply.server.ts";
import { isOwnSettingsForm, requireFreshSettings } from "#app/http/settings-session.server.ts";
import { redirectNotAllowed, throttledProblem } from "#app/routes/settings/change.server.ts";
import { type UsernameProblem, usernameView } from "#app/routes/settings/credentials.server.ts";
import { useDocumentState } from "#app/routes/settings/page.tsx";
import { UsernameScreen } from "./username-page.tsx";

const schema = z.object({ _xsrf: z.string().default(""), username: z.string().default("") });

export async function loader({ context, request }: LoaderFunctionArgs) {
  if (context.isPosted) return null;
  const settings = await requireFreshSettings(context, request);
  const view = await usernameView(context, request, settings);
  return data(view, view.status);
}

export async function action({ context, request }: ActionFunctionArgs) {
  const settings = await requireFreshSettings(context, request);
  const form = await readForm(request, schema, ["_xsrf", "username"]);
  const { _xsrf, username: typed } = schema.parse(form.ok ? form.value : form.values);
  const again = async (problem: Omit<UsernameProblem, "typed">, headers: Record<string, string> = {}) => {
    const view = await usernameView(context, request, settings, { ...problem, typed });
    return data(view, { status: view.status, headers });
  };

  if (!isOwnSettingsForm(context, settings.access, _xsrf)) return again({ error: "xsrf" });
  if (!form.ok) return again({ error: "Could not parse request" });
  const outcome = await changeUsername(context, settings.access, { ...requestMetadata(context), username: typed });
  switch (outcome.kind) {
    case "done":
      context.mail.wake();
      context.logouts.wake();
      return redirect303("/manage?status=username-success");
    case "refused":
      return again({ error: outcome.code });
    case "throttled":
      return again(...throttledProblem(outcome));
    default:
      return redirectNotAllowed(outcome, "/manage/credentials/username");
  }
}

/** How long to wait, where an attempt was not heard. */
export function headers({ actionHeaders }: HeadersArgs) {
  return actionHeaders;
}

export default function ChangeUsername() {
  const shown = useLoaderData<typeof loader>();
  const view = useDocumentState(useActionData<typeof action>() ?? shown);
  return view && <UsernameScreen {...view} />;
}

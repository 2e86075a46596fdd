import { type ActionFunctionArgs, data, type LoaderFunctionArgs } from "@remix-run/node";
import { useActionData, useLoaderData } from "@remix-run/react";
import { z } from "zod";
import { endOtherSessions, endOwnSession } from "#app/domain/session/end.server.ts";
import { requestMetadata } from "#app/http/factor-response.server.ts";
import { readForm } from "#app/http/form.server.ts";
import { redirect303 } from "#app/http/reply.server.ts";
import { isOwnSettingsForm, requireSettings, UNAUTHORIZED_URL } from "#app/http/settings-session.server.ts";
import { sessionsView } from "#app/routes/settings/lists.server.ts";
import { useDocumentState } from "#app/routes/settings/page.tsx";
import { SessionsScreen } from "./sessions-page.tsx";

const schema = z.object({
  _xsrf: z.string().default(""),
  intent: z.enum(["one", "others"]).catch("one"),
  session: z.string().default(""),
});

export async function loader({ context, request }: LoaderFunctionArgs) {
  if (context.isPosted) return null;
  const settings = await requireSettings(context, request);
  const view = await sessionsView(context, request, settings);
  return data(view, view.status);
}

/** Ends one session of the person, or all but this one. */
export async function action({ context, request }: ActionFunctionArgs) {
  const settings = await requireSettings(context, request);
  const { access } = settings;
  const form = await readForm(request, schema, ["_xsrf", "intent", "session"]);
  const { _xsrf, intent, session: id } = schema.parse(form.ok ? form.value : form.values);
  if (!isOwnSettingsForm(context, access, _xsrf)) {
    const view = await sessionsView(context, request, settings, "xsrf");
    return data(view, view.status);
  }
  const facts = requestMetadata(context);
  const outcome =
    intent === "others"
      ? await endOtherSessions(context, access, facts)
      : await endOwnSession(context, access, { ...facts, id });
  if (outcome.kind === "unauthorized") return redirect303(UNAUTHORIZED_URL);
  context.logouts.wake();
  // A session that is over by itself is what was wanted.
  return redirect303(`/manage/sessions?status=${intent === "others" ? "sessions-ended" : "session-ended"}`);
}

export default function Sessions() {
  const shown = useLoaderData<typeof loader>();
  const view = useDocumentState(useActionData<typeof action>() ?? shown);
  return view && <SessionsScreen {...view} />;
}

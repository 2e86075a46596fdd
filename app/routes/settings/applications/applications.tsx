import { type ActionFunctionArgs, data, type LoaderFunctionArgs } from "@remix-run/node";
import { useActionData, useLoaderData } from "@remix-run/react";
import { z } from "zod";
import { withdrawConsent } from "#app/domain/consent/withdraw.server.ts";
import { requestMetadata } from "#app/http/factor-response.server.ts";
import { readForm } from "#app/http/form.server.ts";
import { redirect303 } from "#app/http/reply.server.ts";
import { isOwnSettingsForm, requireSettings, UNAUTHORIZED_URL } from "#app/http/settings-session.server.ts";
import { applicationsView } from "#app/routes/settings/lists.server.ts";
import { useDocumentState } from "#app/routes/settings/page.tsx";
import { ApplicationsScreen } from "./applications-page.tsx";

const schema = z.object({ _xsrf: z.string().default(""), client_id: z.string().default("") });

export async function loader({ context, request }: LoaderFunctionArgs) {
  if (context.isPosted) return null;
  const settings = await requireSettings(context, request);
  const view = await applicationsView(context, request, settings);
  return data(view, view.status);
}

/** Takes back what an application was allowed. */
export async function action({ context, request }: ActionFunctionArgs) {
  const settings = await requireSettings(context, request);
  const { access } = settings;
  const form = await readForm(request, schema, ["_xsrf", "client_id"]);
  const { _xsrf, client_id: clientId } = schema.parse(form.ok ? form.value : form.values);
  if (!isOwnSettingsForm(context, access, _xsrf)) {
    const view = await applicationsView(context, request, settings, "xsrf");
    return data(view, view.status);
  }
  const outcome = await withdrawConsent(context, access, { ...requestMetadata(context), clientId });
  if (outcome.kind === "unauthorized") return redirect303(UNAUTHORIZED_URL);
  // A consent that is gone already is what was wanted.
  return redirect303("/manage/applications?status=consent-withdrawn");
}

export default function Applications() {
  const shown = useLoaderData<typeof loader>();
  const view = useDocumentState(useActionData<typeof action>() ?? shown);
  return view && <ApplicationsScreen {...view} />;
}

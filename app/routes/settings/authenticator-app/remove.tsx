import { type ActionFunctionArgs, data, type LoaderFunctionArgs } from "@remix-run/node";
import { useActionData, useLoaderData } from "@remix-run/react";
import { z } from "zod";
import { removeOwnTotp } from "#app/domain/settings/totp.server.ts";
import { requestMetadata } from "#app/http/factor-response.server.ts";
import { readForm } from "#app/http/form.server.ts";
import { redirect303 } from "#app/http/reply.server.ts";
import { isOwnSettingsForm, requireFreshSettings } from "#app/http/settings-session.server.ts";
import { redirectNotAllowed } from "#app/routes/settings/change.server.ts";
import { useDocumentState } from "#app/routes/settings/page.tsx";
import { totpRemovalView } from "#app/routes/settings/two-step.server.ts";
import { TotpRemovalScreen } from "./remove-page.tsx";

const schema = z.object({ _xsrf: z.string().default("") });

const FACTORS = "/manage/mfa";

export async function loader({ context, request }: LoaderFunctionArgs) {
  if (context.isPosted) return null;
  const settings = await requireFreshSettings(context, request);
  const view = await totpRemovalView(context, request, settings);
  return view ? data(view, view.status) : redirect303(FACTORS);
}

/** Removes the app. Sent twice, the second form finds none, and that is all. */
export async function action({ context, request }: ActionFunctionArgs) {
  const settings = await requireFreshSettings(context, request);
  const form = await readForm(request, schema, ["_xsrf"]);
  const { _xsrf } = schema.parse(form.ok ? form.value : form.values);
  if (!isOwnSettingsForm(context, settings.access, _xsrf)) {
    const view = await totpRemovalView(context, request, settings, "xsrf");
    return view ? data(view, view.status) : redirect303(FACTORS);
  }
  const outcome = await removeOwnTotp(context, settings.access, requestMetadata(context));
  switch (outcome.kind) {
    case "done":
      context.mail.wake();
      context.logouts.wake();
      return redirect303(`${FACTORS}?status=factor-removed`);
    case "totp not found":
      return redirect303(FACTORS);
    default:
      return redirectNotAllowed(outcome, "/manage/mfa/totp/remove");
  }
}

export default function RemoveTotp() {
  const shown = useLoaderData<typeof loader>();
  const view = useDocumentState(useActionData<typeof action>() ?? shown);
  return view && <TotpRemovalScreen {...view} />;
}

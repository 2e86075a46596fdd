import { type ActionFunctionArgs, data, type HeadersArgs, type LoaderFunctionArgs } from "@remix-run/node";
import { useActionData, useLoaderData } from "@remix-run/react";
import { z } from "zod";
import { finishOwnTotp } from "#app/domain/settings/totp.server.ts";
import { requestMetadata } from "#app/http/factor-response.server.ts";
import { readForm } from "#app/http/form.server.ts";
import { redirect303 } from "#app/http/reply.server.ts";
import { isOwnSettingsForm, requireFreshSettings } from "#app/http/settings-session.server.ts";
import { redirectNotAllowed, throttledProblem } from "#app/routes/settings/change.server.ts";
import { type OwnTotpProblem, ownTotpView, TOTP_PAGE } from "#app/routes/settings/factor-setup.server.ts";
import { useDocumentState } from "#app/routes/settings/page.tsx";
import { OwnTotpScreen } from "./register-page.tsx";

const schema = z.object({ _xsrf: z.string().default(""), code: z.string().default("") });

/** Shows a secret of its own to every page session: nothing of the account changes until its first code was typed. */
export async function loader({ context, request }: LoaderFunctionArgs) {
  if (context.isPosted) return null;
  const settings = await requireFreshSettings(context, request);
  const view = await ownTotpView(context, request, settings);
  return data(view, view.status);
}

/** Ends the set-up with the first code of the app. */
export async function action({ context, request }: ActionFunctionArgs) {
  const settings = await requireFreshSettings(context, request);
  const form = await readForm(request, schema, ["_xsrf", "code"]);
  const { _xsrf, code } = schema.parse(form.ok ? form.value : form.values);
  const again = async (problem: OwnTotpProblem, headers: Record<string, string> = {}) => {
    const view = await ownTotpView(context, request, settings, problem);
    return data(view, { status: view.status, headers });
  };

  if (!isOwnSettingsForm(context, settings.access, _xsrf)) return again({ error: "xsrf" });
  if (code.trim() === "") return again({ error: "invalid verification code", refusal: "missing" });
  const outcome = await finishOwnTotp(context, settings.access, { ...requestMetadata(context), code });
  switch (outcome.kind) {
    case "done":
      context.mail.wake();
      context.logouts.wake();
      return redirect303("/manage?status=mfa-success");
    case "invalid verification code": {
      const { kind: error, reason: refusal, clockOffSeconds } = outcome;
      return again({ error, refusal, clockOffSeconds });
    }
    case "throttled":
      return again(...throttledProblem(outcome));
    case "totp already registered":
    case "totp not found":
      return again({ error: outcome.kind });
    default:
      return redirectNotAllowed(outcome, TOTP_PAGE);
  }
}

/** How long to wait, where an attempt was not heard. */
export function headers({ actionHeaders }: HeadersArgs) {
  return actionHeaders;
}

export default function RegisterTotp() {
  const shown = useLoaderData<typeof loader>();
  const view = useDocumentState(useActionData<typeof action>() ?? shown);
  return view && <OwnTotpScreen {...view} />;
}

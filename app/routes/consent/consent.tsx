import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/node";
import { defineForm, text } from "#app/http/define-form.server.ts";
import { readForm } from "#app/http/form.server.ts";
import { isOwnForm } from "#app/http/own-form.server.ts";
import { redirect303, respondWith } from "#app/http/reply.server.ts";
import { findChallenge } from "#app/oidc/challenges.server.ts";
import { restartRequest } from "#app/oidc/restart.server.ts";
import { usePage } from "#app/ui/use-page.ts";
import { loadConsentPage } from "./consent-page.server.ts";
import { ConsentPage } from "./consent-page.tsx";

const restartForm = defineForm({ consent_challenge: text() });

export async function loader({ context, request }: LoaderFunctionArgs) {
  const challenge = new URL(request.url).searchParams.get("consent_challenge") ?? "";
  return respondWith(loadConsentPage(context, request, { challenge }));
}

/** Starts a request again that has expired or belongs to another browser or another user. */
export async function action({ context, request }: ActionFunctionArgs) {
  const { _xsrf, consent_challenge: challenge } = await readForm(request, restartForm);
  const found = await findChallenge(context, { kind: "consent", challenge, browser: context.browser });
  if (found.kind !== "missing" && (await isOwnForm(context, _xsrf))) {
    const location = await restartRequest(context, { kept: found.kept, loginHint: null });
    if (location) return redirect303(location);
  }
  return respondWith(loadConsentPage(context, request, { challenge }));
}

export default function Consent() {
  return <ConsentPage {...usePage<typeof loader, typeof action>()} />;
}

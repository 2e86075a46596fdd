import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/node";
import { readForm } from "#app/http/form.server.ts";
import { isOwnForm } from "#app/http/own-form.server.ts";
import { redirect303, respondWith } from "#app/http/reply.server.ts";
import { findChallenge } from "#app/oidc/challenges.server.ts";
import { rejectConsent } from "#app/oidc/consent-request.server.ts";
import { usePage } from "#app/ui/use-page.ts";
import { consentForm, loadConsentPage } from "./consent-page.server.ts";
import { ConsentPage } from "./consent-page.tsx";

export async function loader({ context, request }: LoaderFunctionArgs) {
  const challenge = new URL(request.url).searchParams.get("consent_challenge") ?? "";
  return respondWith(loadConsentPage(context, request, { challenge }));
}

/** Redirects to the application with the error `access_denied` (RFC 6749 §4.1.2.1). */
export async function action({ context, request }: ActionFunctionArgs) {
  const { _xsrf, consent_challenge: challenge } = await readForm(request, consentForm);
  const found = await findChallenge(context, { kind: "consent", challenge, browser: context.browser });
  if (found.kind === "open" && (await isOwnForm(context, _xsrf))) {
    const { interaction, sessionAccountId: userId } = found.request;
    return redirect303(await rejectConsent(context, interaction, { userId }));
  }
  const error = found.kind === "open" ? "xsrf" : "challenge";
  return respondWith(loadConsentPage(context, request, { challenge, error }));
}

export default function ConsentReject() {
  return <ConsentPage {...usePage<typeof loader, typeof action>()} />;
}

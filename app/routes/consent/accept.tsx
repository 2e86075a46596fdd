import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/node";
import { hasCode } from "#app/domain/base/errors.ts";
import { findSubjectOfSession } from "#app/domain/sign-in-policy/live-session.server.ts";
import { readForm } from "#app/http/form.server.ts";
import { isOwnForm } from "#app/http/own-form.server.ts";
import { redirect303, respondWith } from "#app/http/reply.server.ts";
import { findChallenge } from "#app/oidc/challenges.server.ts";
import { acceptConsent } from "#app/oidc/consent-request.server.ts";
import type { ConsentState } from "#app/ui/page-state.ts";
import { usePage } from "#app/ui/use-page.ts";
import { consentForm, loadConsentPage } from "./consent-page.server.ts";
import { ConsentPage } from "./consent-page.tsx";

export async function loader({ context, request }: LoaderFunctionArgs) {
  const challenge = new URL(request.url).searchParams.get("consent_challenge") ?? "";
  return respondWith(loadConsentPage(context, request, { challenge }));
}

export async function action({ context, request }: ActionFunctionArgs) {
  const { _xsrf, consent_challenge: challenge, scopes: posted } = await readForm(request, consentForm);
  const showAgain = (error: ConsentState["error"]) =>
    respondWith(loadConsentPage(context, request, { challenge, error }));

  const found = await findChallenge(context, { kind: "consent", challenge, browser: context.browser });
  const subject = await findSubjectOfSession(context, await context.session());
  if (found.kind !== "open" || !subject) return showAgain("challenge");
  if (!(await isOwnForm(context, _xsrf))) return showAgain("xsrf");
  try {
    const { userId: accountId, generation } = subject;
    return redirect303(await acceptConsent(context, found.request.interaction, { accountId, generation, posted }));
  } catch (error) {
    if (hasCode(error, "challenge")) return showAgain("challenge");
    if (hasCode(error, "bad request")) return showAgain("bad request");
    throw error;
  }
}

export default function ConsentAccept() {
  return <ConsentPage {...usePage<typeof loader, typeof action>()} />;
}

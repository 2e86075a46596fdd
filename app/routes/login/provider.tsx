import type { LoaderFunctionArgs } from "@remix-run/node";
import { beginExternalSignIn } from "#app/domain/external-account/begin.server.ts";
import { redirect303 } from "#app/http/reply.server.ts";
import { findChallenge, type OpenRequest } from "#app/oidc/challenges.server.ts";
import { outcomeHref, requireProvider, signInFacts } from "#app/views/external-sign-in.server.ts";

/** Leaves for the sign-in at an external provider. */
export async function loader({ context, request, params }: LoaderFunctionArgs) {
  const provider = requireProvider(context, params["provider"]);
  const challenge = new URL(request.url).searchParams.get("login_challenge") ?? "";
  const found = await findChallenge(context, { kind: "login", challenge, browser: context.browser });
  if (found.kind !== "open") return redirect303(`/login?${new URLSearchParams({ login_challenge: challenge })}`);
  const asks = asksOf(found.request);
  const begun = await beginExternalSignIn(context, {
    ...signInFacts(context, found.request),
    provider,
    challenge,
    asks,
  });
  return redirect303(begun.kind === "away" ? begun.url : outcomeHref(provider, challenge));
}

/** Reasons of the engine's policy why a live session does not do. */
const SIGN_IN_AGAIN = ["login_prompt", "max_age"];

/** What the application asks of us, passed on as far as a provider understands it. */
function asksOf({ prompt, reasons }: OpenRequest) {
  if (prompt === "select_account") return "choose-account";
  return reasons.some((reason) => SIGN_IN_AGAIN.includes(reason)) ? "sign-in-again" : null;
}

/** Never shown: with it, a provider that there is none of is refused with a page. */
export default function ProviderStart(): null {
  return null;
}

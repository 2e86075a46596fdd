import type { LoaderFunctionArgs } from "@remix-run/node";
import type { Provider } from "#app/config/providers.ts";
import { type ExternalOutcome, findOutcome } from "#app/domain/external-account/outcome.server.ts";
import { findFirstSetUp, lacksProofForSetUp } from "#app/domain/second-factor/step-up.server.ts";
import { beginExternalSignIn } from "#app/domain/sign-in/with-provider.server.ts";
import { outcomeHref, requireProvider, signInMetadata } from "#app/http/external-sign-in.server.ts";
import type { LoadContext } from "#app/http/load-context.server.ts";
import { redirect303 } from "#app/http/reply.server.ts";
import { findChallenge, type OpenRequest } from "#app/oidc/challenges.server.ts";

/** Starts a sign-in at an external provider. */
export async function loader({ context, request, params }: LoaderFunctionArgs) {
  const provider = requireProvider(context, params["provider"]);
  const challenge = new URL(request.url).searchParams.get("login_challenge") ?? "";
  const found = await findChallenge(context, { kind: "login", challenge, browser: context.browser });
  if (found.kind !== "open") return redirect303(`/login?${new URLSearchParams({ login_challenge: challenge })}`);
  await context.requireStorable("provider-start");
  const outcome = await findOutcome(context, { uid: found.request.uid, browser: context.browser });
  const maxAgeSeconds = await maxAgeFor(context, found.request, outcome);
  const result = await beginExternalSignIn(context, {
    ...signInMetadata(context, found.request),
    provider,
    challenge,
    requestedPrompt: promptFor(found.request, maxAgeSeconds, isWrongAccount(outcome, provider)),
    maxAgeSeconds,
  });
  return redirect303(result.kind === "away" ? result.url : outcomeHref(provider, challenge));
}

/** Returns the part of the authorization request that is forwarded to the provider. */
function promptFor({ prompt }: OpenRequest, maxAgeSeconds: number | null, wasWrongAccount: boolean) {
  if (prompt === "select_account") return "choose-account";
  if (maxAgeSeconds !== null) return "sign-in-again";
  return wasWrongAccount ? "choose-account" : null;
}

/** Returns true if the last sign-in here led to no account: the provider would use the same account again unasked. */
function isWrongAccount(outcome: ExternalOutcome | null, provider: Provider): boolean {
  return outcome?.provider === provider && (outcome.kind === "unknown" || outcome.kind === "refused");
}

/** Returns the maximum age of the authentication at the provider: as requested, or 0 before the set-up of a factor. */
async function maxAgeFor(
  context: LoadContext,
  open: OpenRequest,
  outcome: ExternalOutcome | null,
): Promise<number | null> {
  const interaction = { uid: open.uid, browser: context.browser };
  if (outcome?.kind === "not recent" || (await lacksProofForSetUp(context, interaction))) return 0;
  // The form was shown in place of a second step, because the proof of the live session is too old.
  if (await findFirstSetUp(context, await context.session(), open)) return 0;
  return open.maxAgeSeconds;
}

/** Never rendered. With a component, Remix renders the error page for an unknown provider. */
export default function ProviderStart(): null {
  return null;
}

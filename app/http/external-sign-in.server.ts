import { isProvider, type Provider } from "#app/config/providers.ts";
import { type ConsumedAttempt, consumeAttempt } from "#app/domain/external-account/attempt.server.ts";
import { type Connection, finishConnect } from "#app/domain/external-account/finish-connect.server.ts";
import {
  type ExternalSignIn,
  signInWithIdentity,
  storeExternalFailure,
} from "#app/domain/sign-in/with-provider.server.ts";
import { findChallenge, type OpenRequest } from "#app/oidc/challenges.server.ts";
import { acceptLogin } from "#app/oidc/interaction-result.server.ts";
import type { LoadContext } from "./load-context.server.ts";
import { refusal } from "./refusal.server.ts";

/** Returns the provider in a path. @throws a 404 Response if it is unknown or not configured */
export function requireProvider(context: LoadContext, word: string | undefined): Provider {
  if (isProvider(word) && context.upstream.providers.includes(word)) return word;
  throw refusal(404, "page_not_found");
}

/** Returns the metadata of a sign-in. */
export function signInMetadata(context: LoadContext, { uid, client, demandsMfa, demandsFreshFactor }: OpenRequest) {
  const { browser, address, userAgent, requestId } = context;
  const deviceTokenOf = demandsFreshFactor ? undefined : context.deviceTokenOf;
  return { browser, address, userAgent, requestId, clientId: client.id, uid, demandsMfa, deviceTokenOf };
}

/** Returns the URL of the page with the result of an external sign-in. */
export function outcomeHref(provider: Provider, challenge: string): string {
  return `/login/${provider}/account?${new URLSearchParams({ login_challenge: challenge })}`;
}

/**
 * Handles a provider's response.
 * @returns URL to redirect to; null if the response belongs to no attempt of this browser
 */
export async function handleProviderResponse(
  context: LoadContext,
  { provider, query }: { provider: Provider; query: URLSearchParams },
): Promise<string | null> {
  const { browser, address, userAgent, requestId } = context;
  const metadata = { browser, address, userAgent, requestId };
  const attempt = await consumeAttempt(context, { provider, query, metadata });
  if (attempt === null) return null;
  const { purpose } = attempt;
  if (purpose.kind === "sign-in") return signIn(context, { provider, attempt, ...purpose });
  const result = await context.upstream.finish(provider, attempt);
  return returnHref(
    purpose.returnTo,
    await finishConnect(context, { provider, attempt: purpose, upstreamResult: result, metadata }),
  );
}

/** Returns the URL to return to after connecting an account, with the result in the query. */
function returnHref(returnTo: string, connection: Connection): string {
  const url = new URL(returnTo);
  if (connection.kind === "connected") url.searchParams.set("status", "oauth-connect-success");
  else url.searchParams.set("oauth-error", connection.error);
  return url.href;
}

type SignInAttempt = { provider: Provider; attempt: ConsumedAttempt; challenge: string; provenSince: number | null };

async function signIn(
  context: LoadContext,
  { provider, attempt, challenge, provenSince }: SignInAttempt,
): Promise<string> {
  const found = await findChallenge(context, { kind: "login", challenge, browser: context.browser });
  if (found.kind !== "open") return `/login?${new URLSearchParams({ login_challenge: challenge })}`;
  const metadata = signInMetadata(context, found.request);
  const result = await context.upstream.finish(provider, attempt);
  if (result.kind !== "identified") {
    const reason = result.kind === "failed" ? result.reason : "cancelled";
    await storeExternalFailure(context, { ...metadata, provider, kind: result.kind, reason });
    return outcomeHref(provider, challenge);
  }
  const claims = { ...result.claims, name: result.claims.name ?? attempt.name };
  const outcome = await signInWithIdentity(context, {
    ...metadata,
    identity: result.identity,
    claims,
    proof: { authTime: result.authTime, provenSince },
  });
  const next =
    outcome.kind === "shown" ? null : await continueSignIn(context, outcome, { open: found.request, challenge });
  return next ?? outcomeHref(provider, challenge);
}

/** Returns the URL after an external sign-in: the resume URL or the second factor; null if it was refused. */
export async function continueSignIn(
  context: LoadContext,
  outcome: Exclude<ExternalSignIn, { kind: "not recent" }>,
  { open, challenge }: { open: OpenRequest; challenge: string },
): Promise<string | null> {
  switch (outcome.kind) {
    case "signed-in":
      return acceptLogin(context, {
        interaction: open.interaction,
        subject: outcome.subject,
        authTime: outcome.authTime,
        session: await context.session(),
      });
    case "second-factor-required":
      return `/mfa/verify?${new URLSearchParams({ login_challenge: challenge })}`;
    case "refused":
      return null;
  }
}

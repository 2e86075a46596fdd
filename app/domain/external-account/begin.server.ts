import { drawAttempt, keepAttempt } from "./attempt.server.ts";
import type { ExternalSignInDeps, ExternalSignInInput } from "./open.server.ts";
import type { Provider } from "./providers.ts";
import { noteExternalFailure } from "./sign-in.server.ts";
import type { Upstream, UpstreamAsk } from "./upstream.ts";

/** What leaving for a provider touches. */
export type BeginDeps = ExternalSignInDeps & { upstream: Upstream };

/**
 * `challenge`: of the sign-in form that is left; `asks`: what the provider shall ask although it may know the person;
 * `maxAgeSeconds`: how long ago the person may have signed in there, null for any time.
 */
export type BeginInput = ExternalSignInInput & {
  provider: Provider;
  challenge: string;
  asks: UpstreamAsk | null;
  maxAgeSeconds: number | null;
};

/** `shown`: the provider cannot be reached, or is not the configured one; that is kept for the page that says so. */
export type Begun = { kind: "away"; url: string } | { kind: "shown" };

/** Begins a sign-in at a provider. */
export async function beginExternalSignIn(context: BeginDeps, input: BeginInput): Promise<Begun> {
  const { provider, challenge, browser, asks, maxAgeSeconds } = input;
  const secrets = drawAttempt(context);
  const begun = await context.upstream.begin(provider, { ...secrets, asks, maxAgeSeconds });
  if (begun.kind === "away") {
    const now = Math.floor(context.clock.now().getTime() / 1000);
    const provenSince = maxAgeSeconds === null ? null : now - maxAgeSeconds;
    const purpose = { kind: "sign-in", challenge, provenSince } as const;
    await keepAttempt(context, secrets, { provider, browser, userId: null, purpose });
    return begun;
  }
  await noteExternalFailure(context, { ...input, kind: "failed", reason: begun.reason });
  return { kind: "shown" };
}

import { generateAttemptSecrets, storeAttempt } from "./attempt.server.ts";
import type { Provider } from "./providers.ts";
import { storeExternalFailure } from "./sign-in.server.ts";
import type { ExternalSignInDeps, ExternalSignInInput } from "./sign-in-to-account.server.ts";
import type { Upstream, UpstreamPrompt } from "./upstream.ts";

/** Dependencies of starting an external sign-in. */
export type BeginDeps = ExternalSignInDeps & { upstream: Upstream };

/**
 * `challenge`: the `login_challenge` of the sign-in form; `requestedPrompt`: the prompt to request, null for none;
 * `maxAgeSeconds`: maximum age of the sign-in at the provider, null for any.
 */
export type BeginInput = ExternalSignInInput & {
  provider: Provider;
  challenge: string;
  requestedPrompt: UpstreamPrompt | null;
  maxAgeSeconds: number | null;
};

/** `shown`: the provider is unreachable or not the configured one; the outcome is stored for the sign-in page. */
export type BeginResult = { kind: "away"; url: string } | { kind: "shown" };

/** Starts a sign-in at a provider: stores the attempt and returns the authorization URL. */
export async function beginExternalSignIn(context: BeginDeps, input: BeginInput): Promise<BeginResult> {
  const { provider, challenge, browser, requestedPrompt, maxAgeSeconds } = input;
  const secrets = generateAttemptSecrets(context);
  const result = await context.upstream.begin(provider, { ...secrets, requestedPrompt, maxAgeSeconds });
  if (result.kind === "away") {
    const now = Math.floor(context.clock.now().getTime() / 1000);
    const provenSince = maxAgeSeconds === null ? null : now - maxAgeSeconds;
    const purpose = { kind: "sign-in", challenge, provenSince } as const;
    await storeAttempt(context, secrets, { provider, browser, userId: null, purpose });
    return result;
  }
  await storeExternalFailure(context, { ...input, kind: "failed", reason: result.reason });
  return { kind: "shown" };
}

import type { Provider } from "oidc-provider";
import type { RemovedClient } from "#app/db/schema.server.ts";
import type { Original, Replace } from "./patch.server.ts";

const originals = new WeakMap<Provider, Original>();

/**
 * `Client.backchannelLogout`: does nothing. oidc-provider calls it for each client of a session, before it destroys the
 * session, and the user would wait for all of them. The logouts are queued when the session ends
 * (ended-session.server.ts) and sent by the worker of backchannel-logout.server.ts.
 */
export const omitEngineLogout: Replace = (original, { provider }) => {
  originals.set(provider, original);
  return async () => {};
};

/**
 * Builds and posts a logout token by oidc-provider's own method (OpenID Connect Back-Channel Logout 1.0 §2.4, §2.5).
 * @throws Error with a `response` if the client's status is neither 200 nor 204
 */
export async function sendEngineLogout(
  provider: Provider,
  client: object,
  { userId, sid }: { userId: string; sid: string },
): Promise<void> {
  const send = originals.get(provider);
  if (!send) throw new Error("the patches were not applied to this provider");
  await send(client, userId, sid);
}

/** Returns a removed client as oidc-provider's model, for its last logout tokens. It is stored nowhere. */
export function recreateClient(
  provider: Provider,
  clientId: string,
  { backchannelLogoutUri, idTokenAlg }: RemovedClient,
): object {
  const metadata = {
    client_id: clientId,
    redirect_uris: [],
    response_types: [],
    grant_types: [],
    token_endpoint_auth_method: "none",
    id_token_signed_response_alg: idTokenAlg,
    backchannel_logout_uri: backchannelLogoutUri,
    backchannel_logout_session_required: true,
  };
  // The types have no parameters of the constructor.
  return Reflect.construct(provider.Client, [metadata]);
}

import type { Provider } from "oidc-provider";
import type { Logger } from "pino";
import type { ClientSession } from "#app/db/repositories/backchannel-logouts.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { deliverDueLogouts, type LogoutResponse } from "#app/domain/backchannel-logout/deliver.server.ts";
import { createDeliveryWorker, type DeliveryWorker } from "#app/domain/delivery/worker.server.ts";
import type { Clock } from "#app/ports.ts";

/** Timeout of one delivery, in milliseconds. */
const LOGOUT_TIMEOUT_MS = 5_000;

type ProviderSource = { provider(): Promise<Provider> };

/** Worker that sends the queued back-channel logouts of this database. */
export type LogoutSender = Omit<DeliveryWorker, "start"> & { start(): void };

/** Creates the worker of a server. Commands only queue logouts. */
export function createLogoutSender(context: {
  oidc: ProviderSource;
  store: Store;
  clock: Clock;
  log: Logger;
}): LogoutSender {
  const worker = createDeliveryWorker({ log: context.log, failure: "sending back-channel logouts failed" });
  const send = (session: ClientSession) => sendLogoutToken(context.oidc, session);
  return {
    wake: worker.wake,
    stop: worker.stop,
    start: () => worker.start((stopping) => deliverDueLogouts(context, send, stopping)),
  };
}

/** Method of oidc-provider's client model that builds and posts a logout token; missing in its types. */
const ENGINE_METHOD = "backchannelLogout";

const engineMethods = new WeakMap<Provider, (...args: unknown[]) => unknown>();

/**
 * Stops oidc-provider from sending back-channel logouts while the user waits for the sign-out. They are queued when the
 * session ends (ended-session.server.ts) and sent by `sendLogoutToken`.
 */
export function replaceEngineLogouts(provider: Provider): void {
  const client: object = provider.Client.prototype;
  const send: unknown = Reflect.get(client, ENGINE_METHOD);
  if (typeof send !== "function") throw new Error(`oidc-provider's client has no method ${ENGINE_METHOD}`);
  engineMethods.set(provider, function call(this: unknown, ...args) {
    return Reflect.apply(send, this, args);
  });
  // Called by oidc-provider for each client of the session, before the session is destroyed.
  Reflect.set(client, ENGINE_METHOD, async () => {});
}

/** Builds and posts a logout token (OpenID Connect Back-Channel Logout 1.0 §2.4, §2.5). */
async function sendLogoutToken(
  oidc: ProviderSource,
  { clientId, userId, sid }: ClientSession,
): Promise<LogoutResponse> {
  const receiver = await loadReceiver(oidc, clientId);
  if (receiver.kind !== "loaded") return receiver;
  try {
    await Reflect.apply(receiver.send, receiver.client, [userId, sid]);
    return { kind: "delivered" };
  } catch (error) {
    return failureOf(error);
  }
}

type Receiver = { kind: "loaded"; client: object; send: (...args: unknown[]) => unknown } | LogoutResponse;

/** Loads a client and the method that sends to it. A client that cannot be loaded counts as a failed attempt. */
async function loadReceiver(oidc: ProviderSource, clientId: string): Promise<Receiver> {
  try {
    const provider = await oidc.provider();
    const client = await provider.Client.find(clientId);
    const send = engineMethods.get(provider);
    if (!client?.backchannelLogoutUri || !send) return { kind: "rejected", reason: "no back-channel logout URI" };
    return { kind: "loaded", client, send };
  } catch (error) {
    return { kind: "failed", reason: `client cannot be loaded (${error instanceof Error ? error.name : "unknown"})` };
  }
}

/**
 * Maps an error to a result. Only status 400 is final: the client rejects the token (§2.8). Other statuses, 403 and 404
 * included, can also come from a proxy or during a deployment.
 */
function failureOf(error: unknown): LogoutResponse {
  if (!(error instanceof Error)) return { kind: "failed", reason: "unknown" };
  const response: unknown = Reflect.get(error, "response");
  if (response instanceof Response) {
    const reason = `status ${response.status}`;
    return response.status === 400 ? { kind: "rejected", reason } : { kind: "failed", reason };
  }
  if (error.name === "TimeoutError")
    return { kind: "failed", reason: `no response within ${LOGOUT_TIMEOUT_MS / 1000} s` };
  return { kind: "failed", reason: `no connection (${error.name})` };
}

/**
 * The `fetch` of oidc-provider, used only for back-channel logout URIs. Administrators may register URIs in an internal
 * network, so oidc-provider's guard against private addresses is removed. The response body is not read.
 */
export async function fetchLogoutUri(url: string | URL | Request, options?: RequestInit): Promise<Response> {
  const signal = AbortSignal.timeout(LOGOUT_TIMEOUT_MS);
  const response = await fetch(url, Object.assign({}, options, { dispatcher: undefined, signal }));
  await response.body?.cancel();
  return new Response(null, { status: response.status });
}

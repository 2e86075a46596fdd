import type { Provider } from "oidc-provider";
import type { Logger } from "pino";
import type { Store } from "#app/db/store.server.ts";
import {
  deliverDueLogouts,
  type EndedSession,
  type LogoutResponse,
} from "#app/domain/backchannel-logout/deliver.server.ts";
import { createDeliveryWorker, type DeliveryWorker } from "#app/domain/delivery/worker.server.ts";
import { recreateClient, sendEngineLogout } from "#app/oidc/patches/engine-logout.server.ts";
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
  const failure = "sending back-channel logouts failed";
  const worker = createDeliveryWorker({ ...context, wakeEvent: "logouts queued", failure });
  const send = (session: EndedSession) => sendLogoutToken(context.oidc, session);
  return {
    stop: worker.stop,
    start: () => worker.start((stopping) => deliverDueLogouts(context, send, stopping)),
  };
}

/** Sends a logout token. */
async function sendLogoutToken(oidc: ProviderSource, session: EndedSession): Promise<LogoutResponse> {
  const receiver = await loadReceiver(oidc, session);
  if (receiver.kind !== "loaded") return receiver;
  try {
    await sendEngineLogout(receiver.provider, receiver.client, session);
    return { kind: "delivered" };
  } catch (error) {
    return failureOf(error);
  }
}

type Receiver = { kind: "loaded"; provider: Provider; client: object } | LogoutResponse;

/** Loads a client and its provider. A client that cannot be loaded counts as a failed attempt. */
async function loadReceiver(oidc: ProviderSource, { clientId, removedClient }: EndedSession): Promise<Receiver> {
  try {
    const provider = await oidc.provider();
    if (removedClient) return { kind: "loaded", provider, client: recreateClient(provider, clientId, removedClient) };
    const client = await provider.Client.find(clientId);
    if (!client?.backchannelLogoutUri) return { kind: "rejected", reason: "no back-channel logout URI" };
    return { kind: "loaded", provider, client };
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
  const response = "response" in error ? error.response : null;
  if (response instanceof Response) {
    const reason = `status ${response.status}`;
    return response.status === 400 ? { kind: "rejected", reason } : { kind: "failed", reason };
  }
  if (error.name === "TimeoutError") {
    return { kind: "failed", reason: `no response within ${LOGOUT_TIMEOUT_MS / 1000} s` };
  }
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

import type { IncomingMessage } from "node:http";
import { type KoaContextWithOIDC, Provider } from "oidc-provider";
import type { Logger } from "pino";
import type { Config } from "#app/config/config.ts";
import { getKeysGeneration } from "#app/db/repositories/instance.server.ts";
import type { Store } from "#app/db/store.server.ts";
import type { Secrets } from "#app/domain/secret/secrets.server.ts";
import { omitCookieOfEndedSession } from "#app/oidc/patches/ended-session.server.ts";
import { applyPatches } from "#app/oidc/patches/patches.server.ts";
import type { Clock } from "#app/ports.ts";
import { createConfiguration } from "./configuration.server.ts";
import {
  explainVerifier,
  omitTypeOfSettingsClient,
  removeTypeOfEmptyBody,
  treatStructuredTokensAsUnknown,
} from "./corrected-responses.server.ts";
import { logEngineEvents } from "./events.server.ts";
import { replaceFormPostPage } from "./form-post-page.server.ts";
import { ensureSigningKeys, loadSigningKeys } from "./keys.server.ts";
import { dropHintsOfRemovedKeys, redirectWithoutSession } from "./logout.server.ts";
import type { EngineRequest, Oidc } from "./oidc.ts";
import { ENGINE_ROUTES } from "./paths.ts";
import { makeCacheable } from "./published-documents.server.ts";
import { createRefusalRecorder, type RefusalRecorder } from "./record-refusals.server.ts";
import { readRefusalParameters } from "./request-object.server.ts";
import { readSession } from "./session.server.ts";
import { StorageRefused } from "./storage-refused.ts";

/** Interval of checks for a new key generation, in milliseconds. */
const FOLLOW_KEYS_MS = 1000;

type OidcDeps = { config: Config; store: Store; clock: Clock; log: Logger; secrets: Secrets };

/** Creates oidc-provider, and signing keys if they are missing. */
export async function createOidc(deps: OidcDeps): Promise<Oidc> {
  await ensureSigningKeys(deps);
  const engineRequests = new WeakMap<IncomingMessage, EngineRequest>();
  const engineRequestOf = (request: IncomingMessage) => engineRequests.get(request) ?? null;
  const errors = new WeakMap<IncomingMessage, unknown>();
  // Shared by the providers that follow each other.
  const refusals = createRefusalRecorder(deps, engineRequestOf);
  const engine = followKeys(deps, async () => {
    const provider = await createProvider(deps, { engineRequestOf, errors, refusals });
    // Composes the middleware, which takes longer than a call of the result.
    return { provider, respond: provider.callback() };
  });
  const provider = async () => (await engine()).provider;
  await engine();

  return {
    provider,
    handle: async (request, response, engineRequest) => {
      engineRequests.set(request, engineRequest);
      await (await engine()).respond(request, response);
      if (errors.has(request)) throw errors.get(request);
    },
    session: async (request, response) => readSession(await provider(), request, response, deps.clock),
  };
}

type EngineRequestOf = (request: IncomingMessage) => EngineRequest | null;

type SharedState = {
  engineRequestOf: EngineRequestOf;
  errors: WeakMap<IncomingMessage, unknown>;
  refusals: RefusalRecorder;
};

async function createProvider(deps: OidcDeps, { engineRequestOf, errors, refusals }: SharedState): Promise<Provider> {
  const jwks = await loadSigningKeys(deps);
  const browserOf = (request: IncomingMessage) => engineRequestOf(request)?.browser ?? "";
  const addressOf = (request: IncomingMessage) => engineRequestOf(request)?.address ?? "";
  const hasPasskeyDevice = (request: IncomingMessage) => engineRequestOf(request)?.hasPasskeyDevice === true;
  const requestIdOf = (request: IncomingMessage) => engineRequestOf(request)?.requestId ?? "";
  const requireStorable = async (request: IncomingMessage) => {
    const waitSeconds = (await engineRequestOf(request)?.secondsUntilStorable?.()) ?? 0;
    if (waitSeconds > 0) throw new StorageRefused(waitSeconds);
  };
  const engineDeps = { ...deps, jwks, browserOf, addressOf, hasPasskeyDevice, requestIdOf, requireStorable };
  const provider = new Provider(deps.config.issuer, createConfiguration(engineDeps));
  // The middleware has replaced the forwarded headers by trusted values.
  provider.proxy = true;
  applyPatches(provider, { ...deps, browserOf });
  const deferDurability = (ctx: { path: string }, next: () => Promise<void>) =>
    canDeferDurability(ctx.path) ? deps.store.withDeferredDurability(next) : next();
  const unavailable = new WeakSet<IncomingMessage>();
  provider.use(discardFailedResponse(errors));
  provider.use(refusals.record);
  provider.use(deferDurability);
  provider.use(async (ctx, next) => {
    await next();
    // oidc-provider responds 500 to API requests; browser requests throw, and the middleware responds to them.
    if (!unavailable.has(ctx.req)) return;
    ctx.status = 503;
    ctx.body = { error: "temporarily_unavailable" };
  });
  provider.use(makeCacheable);
  provider.use(removeTypeOfEmptyBody);
  provider.use(acceptSpacesAfterScheme);
  provider.use(treatStructuredTokensAsUnknown);
  provider.use(omitTypeOfSettingsClient);
  provider.use(readRefusalParameters);
  provider.use(replaceFormPostPage((request) => engineRequestOf(request)?.formPostPage ?? null));
  provider.use(redirectWithoutSession);
  provider.use(dropHintsOfRemovedKeys(jwks));
  provider.use(omitCookieOfEndedSession);
  provider.on("server_error", (ctx, error) => {
    if (deps.store.isUnavailable(error)) unavailable.add(ctx.req);
  });
  provider.on("pushed_authorization_request.success", (ctx, client) => {
    // A confidential client pushes the requests of all its users from one address.
    if (client.clientAuthMethod === "none") engineRequestOf(ctx.req)?.onPushed?.();
  });
  provider.on("grant.error", explainVerifier);
  logEngineEvents(provider, { log: deps.log, requestFieldsOf: engineRequestOf, onRefused: refusals.note });
  return provider;
}

/** Accepts more than one space after `Bearer` and `Basic`, as our own calls do; oidc-provider does not. */
async function acceptSpacesAfterScheme({ req }: KoaContextWithOIDC, next: () => Promise<void>): Promise<void> {
  const { authorization } = req.headers;
  if (authorization) req.headers.authorization = authorization.replace(/^(Bearer|Basic) +/i, "$1 ");
  await next();
}

/** Returns true for routes whose only output is the response, so that deferred durability is safe. */
function canDeferDurability(path: string): boolean {
  const { authorization, token } = ENGINE_ROUTES;
  return path === token || path === authorization || path.startsWith(`${authorization}/`);
}

/** Returns a function that recreates the engine after a key rotation (checked at most once a second). */
function followKeys<Engine>(deps: OidcDeps, create: () => Promise<Engine>): () => Promise<Engine> {
  let current: Promise<Engine> | null = null;
  let generation = -1;
  let checkedAt = Number.NEGATIVE_INFINITY;
  return async () => {
    const now = performance.now();
    if (!current || now - checkedAt >= FOLLOW_KEYS_MS) {
      checkedAt = now;
      const latest = await getKeysGeneration(deps.store);
      if (!current || latest !== generation) {
        generation = latest;
        current = create();
        current.catch(() => {
          current = null;
        });
      }
    }
    return current;
  };
}

/**
 * Creates oidc-provider middleware that discards the prepared response of a request whose handling threw, for example
 * because a commit failed. The error is stored in `errors`, and nothing is sent: Koa would respond with plain text.
 */
function discardFailedResponse(errors: WeakMap<IncomingMessage, unknown>) {
  return async (ctx: KoaContextWithOIDC, next: () => Promise<void>): Promise<void> => {
    const { req, res } = ctx;
    // A copy: setting a cookie changes the list of cookies in place.
    const before = Object.entries(res.getHeaders()).map(
      ([name, value = ""]) => [name, Array.isArray(value) ? [...value] : value] as const,
    );
    try {
      await next();
    } catch (error) {
      for (const name of res.getHeaderNames()) res.removeHeader(name);
      for (const [name, value] of before) res.setHeader(name, value);
      errors.set(req, error);
      ctx.respond = false;
    }
  };
}

import type { IncomingMessage } from "node:http";
import { type KoaContextWithOIDC, Provider } from "oidc-provider";
import type { Logger } from "pino";
import type { Config } from "#app/config/config.ts";
import { getKeysGeneration } from "#app/db/repositories/instance.server.ts";
import type { Store } from "#app/db/store.server.ts";
import type { Secrets } from "#app/domain/secret/secrets.server.ts";
import type { Clock } from "#app/ports.ts";
import { replaceEngineLogouts } from "./backchannel-logout.server.ts";
import { createConfiguration } from "./configuration.server.ts";
import { keepSessionsEnded, leaveCookieOfEndedSession } from "./ended-session.server.ts";
import { logEngineEvents } from "./events.server.ts";
import { replaceFormPostPage } from "./form-post-page.server.ts";
import { ensureSigningKeys, loadSigningKeys } from "./keys.server.ts";
import { dropHintsOfRemovedKeys, redirectWithoutSession } from "./logout.server.ts";
import { createLostAnswers, type LostAnswers } from "./lost-answers.server.ts";
import type { EngineRequest, InteractionEvent, Oidc } from "./oidc.ts";
import { ENGINE_ROUTES } from "./paths.ts";
import { allowRepeatedRefresh } from "./refresh-leeway.server.ts";
import { guardResume } from "./resume.server.ts";
import { readSession } from "./session.server.ts";
import { carryOurs, takeTimesOfSignIn } from "./session-generation.server.ts";
import { keepSingleUse } from "./single-use.server.ts";
import { ignoreUnknownSessions } from "./unknown-session.server.ts";

/** Interval of checks for a new key generation, in milliseconds. */
const FOLLOW_KEYS_MS = 1000;

type OidcDeps = { config: Config; store: Store; clock: Clock; log: Logger; secrets: Secrets };

/** Creates oidc-provider, and signing keys if they are missing. */
export async function createOidc(parts: OidcDeps): Promise<Oidc> {
  await ensureSigningKeys(parts);
  const known = new WeakMap<IncomingMessage, EngineRequest>();
  const factsOf = (request: IncomingMessage) => known.get(request) ?? null;
  const lost = createLostAnswers();
  const provider = followKeys(parts, () => createProvider(parts, factsOf, lost));
  await provider();

  return {
    provider,
    handle: async (request, response, facts) => {
      known.set(request, facts);
      await (await provider()).callback()(request, response);
      lost.throwIfLost(request);
    },
    session: async (request, response) => readSession(await provider(), request, response, parts.clock),
  };
}

type FactsOf = (request: IncomingMessage) => EngineRequest | null;

async function createProvider(parts: OidcDeps, factsOf: FactsOf, lost: LostAnswers): Promise<Provider> {
  const jwks = await loadSigningKeys(parts);
  const browserOf = (request: IncomingMessage) => factsOf(request)?.browser ?? "";
  const addressOf = (request: IncomingMessage) => factsOf(request)?.address ?? "";
  const provider = new Provider(parts.config.issuer, createConfiguration({ ...parts, jwks, browserOf, addressOf }));
  // The middleware has replaced the forwarded headers by trusted values.
  provider.proxy = true;
  carryOurs(provider);
  takeTimesOfSignIn(provider);
  keepSessionsEnded(provider, parts);
  keepSingleUse(provider, parts);
  allowRepeatedRefresh(provider, parts);
  ignoreUnknownSessions(provider);
  guardResume(provider, { ...parts, browserOf });
  replaceEngineLogouts(provider);
  const inOneStep = (ctx: { path: string }, next: () => Promise<void>) =>
    isOneStep(ctx.path) ? parts.store.withDeferredDurability(next) : next();
  const unavailable = new WeakSet<IncomingMessage>();
  provider.use((ctx, next) => lost.note(ctx, () => inOneStep(ctx, next)));
  provider.use(async (ctx, next) => {
    await next();
    // oidc-provider responds 500 to API requests; browser requests throw, and the middleware responds to them.
    if (!unavailable.has(ctx.req)) return;
    ctx.status = 503;
    ctx.body = { error: "temporarily_unavailable" };
  });
  provider.use(removeTypeOfNothing);
  provider.use(replaceFormPostPage((request) => factsOf(request)?.formPostPage ?? null));
  provider.use(redirectWithoutSession);
  provider.use(dropHintsOfRemovedKeys(jwks));
  provider.use(leaveCookieOfEndedSession);
  provider.on("server_error", (ctx, error) => {
    if (parts.store.isUnavailable(error)) unavailable.add(ctx.req);
  });
  const observe = (ctx: KoaContextWithOIDC, event: InteractionEvent) => factsOf(ctx.req)?.observe?.(event);
  const observeInteraction = (kind: "interaction opened" | "interaction ended") => (ctx: KoaContextWithOIDC) => {
    const uid = ctx.oidc.entities.Interaction?.uid;
    if (uid) observe(ctx, { kind, uid });
  };
  provider.on("interaction.started", observeInteraction("interaction opened"));
  provider.on("interaction.ended", observeInteraction("interaction ended"));
  provider.on("authorization.success", (ctx) => observe(ctx, { kind: "authorization completed" }));
  provider.on("pushed_authorization_request.success", (ctx, client) => {
    // A confidential client pushes the requests of all its users from one address.
    if (client.clientAuthMethod === "none") observe(ctx, { kind: "request pushed" });
  });
  logEngineEvents(provider, { log: parts.log, noteOf: factsOf });
  return provider;
}

/** Removes Content-Type from an empty response: some clients reject it (RFC 7009 §2.2, revocation). */
async function removeTypeOfNothing(ctx: KoaContextWithOIDC, next: () => Promise<void>): Promise<void> {
  await next();
  if (ctx.body === "") ctx.remove("Content-Type");
}

/** Returns true for routes whose only output is the response, so that deferred durability is safe. */
function isOneStep(path: string): boolean {
  const { authorization, token } = ENGINE_ROUTES;
  return path === token || path === authorization || path.startsWith(`${authorization}/`);
}

/** Returns a function that recreates the provider after a key rotation (checked at most once a second). */
function followKeys(parts: OidcDeps, create: () => Promise<Provider>): () => Promise<Provider> {
  let current: Promise<Provider> | null = null;
  let generation = -1;
  let lookedAt = Number.NEGATIVE_INFINITY;
  return async () => {
    const now = performance.now();
    if (!current || now - lookedAt >= FOLLOW_KEYS_MS) {
      lookedAt = now;
      const found = await getKeysGeneration(parts.store);
      if (!current || found !== generation) {
        generation = found;
        current = create();
        current.catch(() => {
          current = null;
        });
      }
    }
    return current;
  };
}

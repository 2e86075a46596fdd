import type { EventEmitter } from "node:events";
import type { IncomingMessage } from "node:http";
import type { errors, KoaContextWithOIDC, Provider } from "oidc-provider";
import type { Logger } from "pino";
import { describeError } from "#app/domain/base/describe-error.server.ts";
import { printable } from "#app/domain/base/printable.ts";
import { INTROSPECTION_WITHHELD, OFFLINE_ACCESS_DROPPED, SCOPES_REFUSED } from "./own-events.ts";
import { REFRESH_REPEATED } from "./refresh-successor.server.ts";
import {
  describeDroppedOfflineAccess,
  describeRefusal,
  describeRefusedScopes,
  describeWithheldToken,
  type Refusal,
} from "./refusal.server.ts";

/** Request fields of a log line. */
export type RequestLogFields = { requestId: string; address: string };

type EngineError = errors.OIDCProviderError;

/** Dependencies of the log. `onRefused` is called for each refused request, after its log line. */
type EventDeps = {
  log: Logger;
  requestFieldsOf: (request: IncomingMessage) => RequestLogFields | null;
  onRefused: (ctx: KoaContextWithOIDC, refusal: Refusal) => void;
};

/**
 * Logs each event of oidc-provider with user, client and outcome. Errors are logged by name and description, with the
 * cause and the solution if they are known; tokens, codes and other parameters are not logged.
 */
export function logEngineEvents(provider: Provider, { log, requestFieldsOf, onRefused }: EventDeps): void {
  const logFields = (ctx: KoaContextWithOIDC) => ({
    ...pickRequestFields(requestFieldsOf(ctx.req)),
    clientId: ctx.oidc?.client?.clientId ?? null,
    userId: userIdOf(ctx),
  });
  const logSuccess = (event: string) => (ctx: KoaContextWithOIDC) =>
    log.info({ event, outcome: "ok", ...logFields(ctx) }, event);
  const logRefused = (event: string, ctx: KoaContextWithOIDC, refusal: Refusal, reason: object = {}) => {
    log.warn({ event, outcome: "refused", ...reason, ...refusal, ...logFields(ctx) }, event);
    onRefused(ctx, refusal);
  };
  const logRefusal = (event: string) => (ctx: KoaContextWithOIDC, error: EngineError) =>
    logRefused(event, ctx, describeRefusal(ctx, error), reasonOf(error));

  provider.on("authorization.success", logSuccess("authorization.succeeded"));
  provider.on("authorization.error", logRefusal("authorization.refused"));
  provider.on("grant.success", (ctx) =>
    log.info({ event: "token.issued", outcome: "ok", grantType: grantType(ctx), ...logFields(ctx) }, "token.issued"),
  );
  provider.on("grant.error", logRefusal("token.refused"));
  provider.on("grant.revoked", logSuccess("grant.revoked"));
  // Our own events, missing in oidc-provider's types.
  const emitter: EventEmitter = provider;
  emitter.on(REFRESH_REPEATED, logSuccess("token.repeated"));
  emitter.on(SCOPES_REFUSED, (ctx) => logRefused("scope.refused", ctx, describeRefusedScopes(ctx)));
  emitter.on(OFFLINE_ACCESS_DROPPED, (ctx) => logRefused("scope.dropped", ctx, describeDroppedOfflineAccess()));
  emitter.on(INTROSPECTION_WITHHELD, (ctx, token) =>
    logRefused("introspection.withheld", ctx, describeWithheldToken(ctx, token)),
  );
  provider.on("revocation.error", logRefusal("revocation.refused"));
  provider.on("introspection.error", logRefusal("introspection.refused"));
  provider.on("userinfo.error", logRefusal("userinfo.refused"));
  provider.on("pushed_authorization_request.error", logRefusal("pushed-request.refused"));
  provider.on("end_session.error", logRefusal("sign-out.refused"));
  provider.on("server_error", (ctx, error) =>
    log.error({ event: "engine.failed", error: describeError(error), ...logFields(ctx) }, "engine.failed"),
  );
}

/** Returns the user of the session or token; null if there is none. */
function userIdOf({ oidc }: KoaContextWithOIDC): string | null {
  const { AccessToken, RefreshToken, AuthorizationCode } = oidc?.entities ?? {};
  const token = AccessToken ?? RefreshToken ?? AuthorizationCode;
  return oidc?.session?.accountId ?? token?.accountId ?? null;
}

/** Copies single fields, because the note may contain more than may be logged. */
function pickRequestFields(fields: RequestLogFields | null): Partial<RequestLogFields> {
  return fields ? { requestId: fields.requestId, address: fields.address } : {};
}

/** Maximum length of an error's description in a log line, in code points. */
const MAX_DETAIL = 300;

/** oidc-provider's descriptions can contain text of the request, e.g. its origin. */
function reasonOf(error: EngineError) {
  const detail = error.error_detail ?? error.error_description;
  const text = detail === undefined ? null : printable(detail, MAX_DETAIL);
  return { error: error.error ?? error.message, detail: text };
}

function grantType(ctx: KoaContextWithOIDC): string {
  return String(ctx.oidc.params?.grant_type ?? "");
}

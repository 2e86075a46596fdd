import type { EventEmitter } from "node:events";
import type { IncomingMessage } from "node:http";
import type { errors, KoaContextWithOIDC, Provider } from "oidc-provider";
import type { Logger } from "pino";
import { describeError } from "#app/domain/base/describe-error.server.ts";
import { REFRESH_REPEATED } from "./refresh-successor.server.ts";

/** Request fields of a log line. */
export type RequestLogFields = { requestId: string; address: string };

type EngineError = errors.OIDCProviderError;

/**
 * Logs each event of oidc-provider with user, client and outcome. Errors are logged by name and description; tokens,
 * codes and parameters are not logged.
 */
export function logEngineEvents(
  provider: Provider,
  { log, requestFieldsOf }: { log: Logger; requestFieldsOf: (request: IncomingMessage) => RequestLogFields | null },
): void {
  const logFields = (ctx: KoaContextWithOIDC) => ({
    ...pickRequestFields(requestFieldsOf(ctx.req)),
    clientId: ctx.oidc?.client?.clientId ?? null,
    userId: userIdOf(ctx),
  });
  const logSuccess = (event: string) => (ctx: KoaContextWithOIDC) =>
    log.info({ event, outcome: "ok", ...logFields(ctx) }, event);
  const logRefusal = (event: string) => (ctx: KoaContextWithOIDC, error: EngineError) =>
    log.warn({ event, outcome: "refused", ...reasonOf(error), ...logFields(ctx) }, event);

  provider.on("authorization.success", logSuccess("authorization.succeeded"));
  provider.on("authorization.error", logRefusal("authorization.refused"));
  provider.on("grant.success", (ctx) =>
    log.info({ event: "token.issued", outcome: "ok", grantType: grantType(ctx), ...logFields(ctx) }, "token.issued"),
  );
  provider.on("grant.error", logRefusal("token.refused"));
  provider.on("grant.revoked", logSuccess("grant.revoked"));
  // Our own event, missing in oidc-provider's types.
  const emitter: EventEmitter = provider;
  emitter.on(REFRESH_REPEATED, logSuccess("token.repeated"));
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

function reasonOf(error: EngineError) {
  return { error: error.error ?? error.message, detail: error.error_detail ?? error.error_description ?? null };
}

function grantType(ctx: KoaContextWithOIDC): string {
  return String(ctx.oidc.params?.grant_type ?? "");
}

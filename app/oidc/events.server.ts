import type { IncomingMessage } from "node:http";
import type { errors, KoaContextWithOIDC, Provider } from "oidc-provider";
import type { Logger } from "pino";
import { describeError } from "#app/domain/audit/describe-error.server.ts";
import { REFRESH_REPEATED } from "./refresh-leeway.server.ts";

/** Request fields of a log line. */
export type RequestNote = { requestId: string; address: string };

type EngineError = errors.OIDCProviderError;

/**
 * Logs each event of oidc-provider with user, client and outcome. Errors are logged by name and description; tokens,
 * codes and parameters are not logged.
 */
export function logEngineEvents(
  provider: Provider,
  { log, noteOf }: { log: Logger; noteOf: (request: IncomingMessage) => RequestNote | null },
): void {
  const facts = (ctx: KoaContextWithOIDC) => ({
    ...requestOf(noteOf(ctx.req)),
    clientId: ctx.oidc?.client?.clientId ?? null,
    userId: personOf(ctx),
  });
  const done = (event: string) => (ctx: KoaContextWithOIDC) => log.info({ event, outcome: "ok", ...facts(ctx) }, event);
  const refused = (event: string) => (ctx: KoaContextWithOIDC, error: EngineError) =>
    log.warn({ event, outcome: "refused", ...reasonOf(error), ...facts(ctx) }, event);

  provider.on("authorization.success", done("authorization.succeeded"));
  provider.on("authorization.error", refused("authorization.refused"));
  provider.on("grant.success", (ctx) =>
    log.info({ event: "token.issued", outcome: "ok", grantType: grantType(ctx), ...facts(ctx) }, "token.issued"),
  );
  provider.on("grant.error", refused("token.refused"));
  provider.on("grant.revoked", done("grant.revoked"));
  // Our own event, missing in oidc-provider's types.
  Reflect.apply(provider.on, provider, [REFRESH_REPEATED, done("token.repeated")]);
  provider.on("revocation.error", refused("revocation.refused"));
  provider.on("introspection.error", refused("introspection.refused"));
  provider.on("userinfo.error", refused("userinfo.refused"));
  provider.on("pushed_authorization_request.error", refused("pushed-request.refused"));
  provider.on("end_session.error", refused("sign-out.refused"));
  provider.on("server_error", (ctx, error) =>
    log.error({ event: "engine.failed", error: describeError(error), ...facts(ctx) }, "engine.failed"),
  );
}

/** Returns the user of the session or token; null if there is none. */
function personOf({ oidc }: KoaContextWithOIDC): string | null {
  const { AccessToken, RefreshToken, AuthorizationCode } = oidc?.entities ?? {};
  const token = AccessToken ?? RefreshToken ?? AuthorizationCode;
  return oidc?.session?.accountId ?? token?.accountId ?? null;
}

/** Copies single fields, because the note may contain more than may be logged. */
function requestOf(note: RequestNote | null): Partial<RequestNote> {
  return note ? { requestId: note.requestId, address: note.address } : {};
}

function reasonOf(error: EngineError) {
  return { error: error.error ?? error.message, detail: error.error_detail ?? error.error_description ?? null };
}

function grantType(ctx: KoaContextWithOIDC): string {
  return String(ctx.oidc.params?.grant_type ?? "");
}

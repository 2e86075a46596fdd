import type { errors, KoaContextWithOIDC } from "oidc-provider";
import { z } from "zod";
import { ENGINE_ROUTES } from "./paths.ts";

const structuredTokenError = z.object({ error: z.literal("unsupported_token_type") });

const metadata = z.looseObject({ response_types_supported: z.array(z.string()) });

/** Removes Content-Type from an empty response: some clients reject it (RFC 7009 §2.2, revocation). */
export async function removeTypeOfEmptyBody(ctx: KoaContextWithOIDC, next: () => Promise<void>): Promise<void> {
  await next();
  if (ctx.body === "") ctx.remove("Content-Type");
}

/**
 * Treats a token that looks like a JWT as every unknown token: inactive (RFC 7662 §2.2), and revoked without an error
 * (RFC 7009 §2.2). oidc-provider responds with an error, but after client authentication, so that only an authenticated
 * caller gets this answer.
 */
export async function treatStructuredTokensAsUnknown(
  ctx: KoaContextWithOIDC,
  next: () => Promise<void>,
): Promise<void> {
  await next();
  if (ctx.status !== 400 || !structuredTokenError.safeParse(ctx.body).success) return;
  ctx.status = 200;
  ctx.body = ctx.path === ENGINE_ROUTES.introspection ? { active: false } : "";
}

/** Omits response type `none` from the metadata: only the settings client, which is our own, may use it. */
export async function omitTypeOfSettingsClient(ctx: KoaContextWithOIDC, next: () => Promise<void>): Promise<void> {
  await next();
  if (ctx.oidc?.route !== "discovery") return;
  const { response_types_supported: types, ...others } = metadata.parse(ctx.body);
  ctx.body = { ...others, response_types_supported: types.filter((type) => type !== "none") };
}

/**
 * Listener of `grant.error`: names the problem with PKCE in the response. oidc-provider describes all that is wrong with
 * a code by one text; whether a code_verifier is missing or wrong is known to the client that sent the request.
 */
export function explainVerifier(ctx: KoaContextWithOIDC, { error_detail: detail }: errors.OIDCProviderError): void {
  const response = z.looseObject({ error: z.literal("invalid_grant") }).safeParse(ctx.body);
  if (!response.success || !/^code_verifier /.test(detail ?? "")) return;
  ctx.body = { ...response.data, error_description: `${detail} (RFC 7636 section 4.6)` };
}

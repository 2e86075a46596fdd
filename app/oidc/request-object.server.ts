import { decodeJwt } from "jose";
import type { KoaContextWithOIDC } from "oidc-provider";
import { z } from "zod";
import { ENGINE_ROUTES } from "./paths.ts";

/** Maximum bytes of a `state` in a request object, as of one in the query. */
const MAX_STATE_BYTES = 4096;

/** Parameters of a request object that determine how its refusal is returned; unusable values are ignored. */
const refusalParameters = z.object({
  state: z.string().refine(isUsableState).optional().catch(undefined),
  response_mode: z.enum(["query", "fragment", "form_post"]).optional().catch(undefined),
});

/**
 * Copies `state` and `response_mode` of a request object to the query (RFC 9101 §5), unverified. oidc-provider refuses
 * each request with a request object, so that both are used for this refusal only. The redirect URI is never read from
 * the object.
 */
export async function readRefusalParameters(ctx: KoaContextWithOIDC, next: () => Promise<void>): Promise<void> {
  const request = ctx.path === ENGINE_ROUTES.authorization ? ctx.query.request : undefined;
  if (typeof request === "string") ctx.query = { ...ctx.query, ...decode(request) };
  await next();
}

function decode(requestObject: string): Record<string, string> {
  try {
    const { state, response_mode } = refusalParameters.parse(decodeJwt(requestObject));
    return { ...(state && { state }), ...(response_mode && { response_mode }) };
  } catch {
    return {};
  }
}

/** Returns false for a text that is too long, or that a URL cannot contain. */
function isUsableState(state: string): boolean {
  return !/\p{Surrogate}/u.test(state) && Buffer.byteLength(state) <= MAX_STATE_BYTES;
}

import type { IncomingMessage } from "node:http";
import type { KoaContextWithOIDC } from "oidc-provider";

/**
 * Creates oidc-provider middleware that discards the prepared response of a request whose handling threw, for example
 * because a commit failed. The error is stored in `errors`, and nothing is sent: Koa would respond with plain text.
 */
export function discardFailedResponse(errors: WeakMap<IncomingMessage, unknown>) {
  return async (ctx: KoaContextWithOIDC, next: () => Promise<void>): Promise<void> => {
    const { req, res } = ctx;
    // A copy: setting a cookie changes the list of cookies in place.
    const before = structuredClone(res.getHeaders());
    try {
      await next();
    } catch (error) {
      for (const name of res.getHeaderNames()) res.removeHeader(name);
      for (const [name, value = ""] of Object.entries(before)) res.setHeader(name, value);
      errors.set(req, error);
      ctx.respond = false;
    }
  };
}

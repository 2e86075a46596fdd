import type { KoaContextWithOIDC } from "oidc-provider";
import type { Replace } from "./patch.server.ts";

/**
 * `Session.get`: if the cookie names an unknown session, returns an empty one that oidc-provider neither saves nor sets
 * as a cookie. Session ids rotate: a late request of the same browser may send the previous id, and the cookie of an
 * empty session would sign the user out.
 */
export const ignoreUnknownSession: Replace =
  (original, { provider }) =>
  async (ctx: KoaContextWithOIDC): Promise<unknown> => {
    const session = await original(provider.Session, ctx);
    // A session that was found has `exp`; one that is marked as new is saved only when it changes.
    if (session instanceof provider.Session && !session.exp && !("new" in session && session.new)) {
      Object.defineProperty(session, "new", { value: true });
    }
    return session;
  };

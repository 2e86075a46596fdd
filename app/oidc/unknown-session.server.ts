import type { KoaContextWithOIDC, Provider } from "oidc-provider";

/**
 * Keeps the engine from saving an empty session, and from setting its cookie, where a request names a session that does
 * not exist. Session ids rotate: a late request of the same browser names the former id, and the cookie of an empty
 * session in its response would replace the good one and sign the user out.
 */
export function ignoreUnknownSessions(provider: Provider): void {
  const { Session } = provider;
  const get = Session.get.bind(Session);
  Object.defineProperty(Session, "get", {
    value: async (ctx: KoaContextWithOIDC) => {
      const session = await get(ctx);
      // A session that was found has a time of expiry; one that the engine marks as new is saved only when it changes.
      if (!session.exp && !Reflect.get(session, "new")) Object.defineProperty(session, "new", { value: true });
      return session;
    },
  });
}

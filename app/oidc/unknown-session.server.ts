import type { KoaContextWithOIDC, Provider } from "oidc-provider";

/**
 * Prevents oidc-provider from saving an empty session and setting its cookie if a request names an unknown session.
 * Session ids rotate: a late request of the same browser may send the previous id, and the cookie of an empty session
 * would sign the user out.
 */
export function ignoreUnknownSessions(provider: Provider): void {
  const { Session } = provider;
  const get = Session.get.bind(Session);
  Object.defineProperty(Session, "get", {
    value: async (ctx: KoaContextWithOIDC) => {
      const session = await get(ctx);
      // A session that was found has `exp`; one that is marked as new is saved only when it changes.
      if (!session.exp && !Reflect.get(session, "new")) Object.defineProperty(session, "new", { value: true });
      return session;
    },
  });
}

import type { IncomingMessage, ServerResponse } from "node:http";
import type { Provider } from "oidc-provider";
import type { Clock } from "#app/ports.ts";
import { exceedsMaxAge } from "./lifetimes.server.ts";
import { generationOf, signedInAtOf } from "./session-generation.server.ts";

/** The session of this browser, as pages use it. */
export type EngineSession = {
  /** Constant while the user stays signed in, unlike the cookie's value. */
  uid: string;
  accountId: string | null;
  /** Time of the last proof of identity; null if the external provider did not send it. */
  authTime: Date | null;
  /** Start of the session, in seconds since 1970. */
  signedInAt: number | null;
  amr: string[];
  acr: string | null;
  /** Generation of the user at sign-in; the session is invalid if the current one differs. */
  generation: number | null;
};

/** Returns the session of this request's cookie, or null. */
export async function readSession(
  provider: Provider,
  request: IncomingMessage,
  response: ServerResponse,
  clock: Clock,
): Promise<EngineSession | null> {
  const session = await provider.Session.get(provider.createContext(request, response));
  return viewOf(session, clock);
}

/** Returns the session with this uid, or null. */
export async function findSession(provider: Provider, uid: string, clock: Clock): Promise<EngineSession | null> {
  const session = await provider.Session.findByUid(uid);
  return session ? viewOf(session, clock) : null;
}

type Session = InstanceType<Provider["Session"]>;

function viewOf(session: Session, clock: Clock): EngineSession | null {
  // A session that was not found is returned as a new one, without `exp`.
  if (!session.exp || exceedsMaxAge(session, clock.now())) return null;
  return {
    uid: session.uid,
    accountId: session.accountId ?? null,
    authTime: session.loginTs ? new Date(session.loginTs * 1000) : null,
    signedInAt: signedInAtOf(session) ?? session.loginTs ?? null,
    amr: Array.isArray(session.amr) ? session.amr.map(String) : [],
    acr: session.acr ?? null,
    generation: generationOf(session),
  };
}

/**
 * Finds the live session of an access token. The token must be valid, belong to this client and to a user, have the
 * scope openid, and its grant must not be revoked.
 * @returns null for any other token, and if the session has ended
 */
export async function findSessionOfToken(
  { oidc, clock }: { oidc: { provider(): Promise<Provider> }; clock: Clock },
  { accessToken, clientId }: { accessToken: string; clientId: string },
): Promise<EngineSession | null> {
  const provider = await oidc.provider();
  const token = await provider.AccessToken.find(accessToken);
  if (!token?.isValid || token.clientId !== clientId || !token.accountId || !token.sessionUid) return null;
  if (!token.scopes.has("openid") || !token.grantId || !(await provider.Grant.find(token.grantId))) return null;
  const session = await findSession(provider, token.sessionUid, clock);
  return session?.accountId === token.accountId ? session : null;
}

/**
 * Returns false for a code or an access token that ends with its session if that session has ended or another user is
 * signed in to it. Its grant may differ from the one that the session contains for the client: tabs that sign in to one
 * application each get a grant, and the session contains the last one. A revoked grant has no codes and tokens.
 */
export async function hasItsSession({ AuthorizationCode, AccessToken, Session }: Provider, token: unknown) {
  if (!(token instanceof AuthorizationCode || token instanceof AccessToken)) return true;
  if (!token.expiresWithSession) return true;
  const session = await Session.findByUid(token.sessionUid ?? "");
  return session !== undefined && session.accountId === token.accountId;
}

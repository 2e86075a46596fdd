import type { Clock } from "#app/ports.ts";
import type { Oidc } from "./oidc.ts";
import { type EngineSession, findSession } from "./session.server.ts";

/**
 * The living session that an access token came from. The token has to be this client's own, good still, about a person,
 * and for an OpenID Connect request; what the person allowed must not have been taken back.
 * @returns null for any other token, and where the session has ended
 */
export async function findSessionOfToken(
  { oidc, clock }: { oidc: Oidc; clock: Clock },
  { accessToken, clientId }: { accessToken: string; clientId: string },
): Promise<EngineSession | null> {
  const provider = await oidc.provider();
  const token = await provider.AccessToken.find(accessToken);
  if (!token?.isValid || token.clientId !== clientId || !token.accountId || !token.sessionUid) return null;
  if (!token.scopes.has("openid") || !token.grantId || !(await provider.Grant.find(token.grantId))) return null;
  const session = await findSession(provider, token.sessionUid, clock);
  return session?.accountId === token.accountId ? session : null;
}

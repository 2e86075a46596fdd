import type { Clock } from "#app/ports.ts";
import type { Oidc } from "./oidc.ts";
import { type EngineSession, findSession } from "./session.server.ts";

/**
 * Finds the live session of an access token. The token must be valid, belong to this client and to a user, have the
 * scope openid, and its grant must not be revoked.
 * @returns null for any other token, and if the session has ended
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

import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from "jose";

/** Signs claims with an unknown key and a plausible header. */
export async function foreignKeyToken(
  claims: JWTPayload,
  { withJwk = false, ...header }: { kid?: string; jku?: string; withJwk?: boolean },
): Promise<string> {
  const { privateKey, publicKey } = await generateKeyPair("RS256");
  const jwk = withJwk ? { jwk: await exportJWK(publicKey) } : {};
  return new SignJWT(claims).setProtectedHeader({ alg: "RS256", ...header, ...jwk }).sign(privateKey);
}

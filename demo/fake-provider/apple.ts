import { type CryptoKey, importSPKI, jwtVerify } from "jose";

/** What a client secret has to say that its client signs itself, and the public half of the key. */
export type SignedSecretCheck = {
  publicKeyPem: string;
  keyId: string;
  teamId: string;
  clientId: string;
  audience: string;
};

/** Half a year, as Apple has it. */
const LONGEST_SECONDS = 15_777_000;

/** Whether Apple would take this client secret: ES256, the key's id, team, client, audience, and not good for too long. */
export async function checkSignedSecret(secret: string, check: SignedSecretCheck): Promise<boolean> {
  try {
    const key: CryptoKey = await importSPKI(check.publicKeyPem, "ES256");
    const { payload, protectedHeader } = await jwtVerify(secret, key, {
      algorithms: ["ES256"],
      issuer: check.teamId,
      subject: check.clientId,
      audience: check.audience,
      requiredClaims: ["iat", "exp"],
      currentDate: new Date(),
    });
    const { iat = 0, exp = 0 } = payload;
    return protectedHeader.kid === check.keyId && exp - iat <= LONGEST_SECONDS;
  } catch {
    return false;
  }
}

import { type CryptoKey, importSPKI, jwtVerify } from "jose";
import type { KoaContextWithOIDC } from "oidc-provider";
import { escapeHtml } from "#demo/pages.ts";
import type { FakeProviderUser, SignedSecretCheck } from "./types.ts";

/** Longest lifetime of a client secret that Apple accepts: six months. */
const MAX_SECRET_SECONDS = 15_777_000;

/** Returns whether Apple would accept this client secret: ES256, key id, team, client, audience and lifetime. */
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
    return protectedHeader.kid === check.keyId && exp - iat <= MAX_SECRET_SECONDS;
  } catch {
    return false;
  }
}

/** Middleware that adds the field `user` (JSON with the name) to the form_post response. Apple's tokens contain no name. */
export function addUserName(users: readonly FakeProviderUser[]) {
  return async (ctx: KoaContextWithOIDC, next: () => Promise<void>): Promise<void> => {
    await next();
    const { body } = ctx;
    const sub = ctx.oidc?.session?.accountId;
    const found = users.find((candidate) => candidate.sub === sub);
    if (typeof body !== "string" || !found || !body.includes('name="code"')) return;
    const [firstName = "", ...lastNames] = found.name.split(" ");
    const user = JSON.stringify({ name: { firstName, lastName: lastNames.join(" ") }, email: found.email });
    ctx.body = body.replace("</form>", `<input type="hidden" name="user" value="${escapeHtml(user)}"></form>`);
  };
}

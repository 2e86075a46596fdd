import { decodeJwt } from "jose";
import { z } from "zod";
import type { MailOauth } from "#app/config/config.ts";
import type { Clock } from "#app/ports.ts";
import type { TokenPermission } from "./problem.server.ts";
import { type AccessToken, createTokenSource } from "./token.server.ts";

/** The mailbox that signs in at the mail server, and its token. */
export type Login = { user: string; token: string };

/** Runs deliveries with the token that each needs; `login` is null if the server is used without a token. */
type Logins = { use<T>(run: (login: Login | null) => Promise<T>): Promise<T> };

type LoginDeps = { clock: Clock; signal: AbortSignal; onToken?: (token: AccessToken) => void };

/**
 * Creates the logins of a mail server. If the server rejects a cached token, which may have been revoked, the delivery
 * runs once more with a fresh one.
 */
export function loginsOf(oauth: MailOauth | null, { onToken, ...deps }: LoginDeps): Logins {
  if (oauth === null) return { use: (run) => run(null) };
  const tokens = createTokenSource(oauth, deps);

  async function attempt<T>(token: AccessToken, run: (login: Login) => Promise<T>): Promise<T> {
    onToken?.(token);
    try {
      return await run({ user: oauth?.mailbox ?? "", token: token.value });
    } catch (error) {
      if (isRejectedLogin(error)) tokens.discard(token.value);
      if (error instanceof Error) Object.assign(error, { tokenPermission: permissionOf(token.value) });
      throw error;
    }
  }

  return {
    async use(run) {
      const token = await tokens.get();
      try {
        return await attempt(token, run);
      } catch (error) {
        if (!token.isCached || !isRejectedLogin(error)) throw error;
        return attempt(await tokens.get(), run);
      }
    },
  };
}

/** 535: the credentials are invalid (RFC 4954 §6). Other replies of AUTH do not concern the token. */
function isRejectedLogin(error: unknown): boolean {
  return (
    error instanceof Error &&
    "code" in error &&
    error.code === "EAUTH" &&
    "responseCode" in error &&
    error.responseCode === 535
  );
}

const claims = z.object({ aud: z.string(), roles: z.array(z.string()).default([]) });

/** Audiences of tokens for Exchange Online: its URLs in the clouds of Microsoft, and its application id. */
const EXCHANGE =
  /^(https:\/\/(outlook\.office(365)?\.(com|us)|partner\.outlook\.cn)\/?|00000002-0000-0ff1-ce00-000000000000)$/;

/** Reads the permissions of a token for a message only: a client must not rely on the content of an access token. */
function permissionOf(token: string): TokenPermission {
  try {
    const { aud, roles } = claims.parse(decodeJwt(token));
    if (!EXCHANGE.test(aud)) return "unknown";
    return roles.includes("SMTP.SendAsApp") ? "granted" : "missing";
  } catch {
    return "unknown";
  }
}

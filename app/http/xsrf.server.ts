import type { AppContext } from "#app/context.server.ts";
import { HOUR_MS } from "#app/durations.ts";
import type { EngineSession } from "#app/oidc/session.server.ts";
import type { RequestContext } from "./load-context.server.ts";

/** Browser, session and account of a form. The session's uid is constant, unlike its id. */
export type XsrfBinding = { browser: string; sessionUid: string | null; accountId: string | null };

const SALT_BYTES = 16;

/** A 16-byte salt and an HMAC-SHA256, both base64url. */
const TOKEN = /^([\w-]{22})\.([\w-]{43})$/;

/**
 * Issues the value of `_xsrf` or X-XSRF-Token, valid until the end of the next hour. The salt makes each token
 * different, so that the length of a compressed response does not leak it.
 */
export function issueXsrf(context: Pick<AppContext, "secrets" | "clock" | "random">, binding: XsrfBinding): string {
  const salt = Buffer.from(context.random.bytes(SALT_BYTES)).toString("base64url");
  return `${salt}.${context.secrets.mac("xsrf", signedText(binding, currentHour(context), salt))}`;
}

/** Returns true if the token was issued for one of these bindings, in this hour or the previous one. */
export function checkXsrf(
  context: Pick<AppContext, "secrets" | "clock">,
  token: string,
  accepted: readonly XsrfBinding[],
): boolean {
  const [, salt, mac] = TOKEN.exec(token) ?? [];
  if (!salt || !mac) return false;
  const hour = currentHour(context);
  return accepted.some((binding) =>
    [hour, hour - 1].some((issuedHour) => context.secrets.checkMac("xsrf", signedText(binding, issuedHour, salt), mac)),
  );
}

/** Returns the binding of forms for this browser and session. */
export function bindingOf(context: Pick<RequestContext, "browser">, session: EngineSession | null): XsrfBinding {
  return { browser: context.browser, sessionUid: session?.uid ?? null, accountId: session?.accountId ?? null };
}

function currentHour({ clock }: Pick<AppContext, "clock">): number {
  return Math.floor(clock.now().getTime() / HOUR_MS);
}

/** JSON, so that different bindings have different texts. */
function signedText(binding: XsrfBinding, hour: number, salt: string): string {
  return JSON.stringify([binding.browser, binding.sessionUid, binding.accountId, hour, salt]);
}

import type { AppContext } from "#app/context.server.ts";
import type { EngineSession } from "#app/oidc/session.server.ts";
import type { RequestContext } from "./load-context.server.ts";

/** Whom a form was made for. Keyed on the session's uid: the engine changes its session id with every consent. */
export type XsrfBinding = { browser: string; sessionUid: string | null; accountId: string | null };

const HOUR_MS = 60 * 60 * 1000;
const SALT_BYTES = 16;

/** A token holds a 16-byte salt and an HMAC-SHA256, both base64url. */
const TOKEN = /^([\w-]{22})\.([\w-]{43})$/;

/**
 * Makes the value of `_xsrf`, or of the header X-XSRF-Token. Good for the rest of this hour and the whole next one.
 * The salt makes every token look different, so that a page's length in a compressed answer says nothing about it.
 */
export function issueXsrf(context: Pick<AppContext, "secrets" | "clock" | "random">, binding: XsrfBinding): string {
  const salt = Buffer.from(context.random.bytes(SALT_BYTES)).toString("base64url");
  return `${salt}.${context.secrets.mac("xsrf", signedText(binding, currentHour(context), salt))}`;
}

/** Whether the token was made for one of these bindings, in this hour or the one before. */
export function checkXsrf(
  context: Pick<AppContext, "secrets" | "clock">,
  token: string,
  accepted: readonly XsrfBinding[],
): boolean {
  const [, salt, mac] = TOKEN.exec(token) ?? [];
  if (!salt || !mac) return false;
  const hour = currentHour(context);
  return accepted.some((binding) =>
    [hour, hour - 1].some((made) => context.secrets.checkMac("xsrf", signedText(binding, made, salt), mac)),
  );
}

/** The binding of forms shown to this browser while this session lives. */
export function bindingOf(facts: Pick<RequestContext, "browser">, session: EngineSession | null): XsrfBinding {
  return { browser: facts.browser, sessionUid: session?.uid ?? null, accountId: session?.accountId ?? null };
}

function currentHour({ clock }: Pick<AppContext, "clock">): number {
  return Math.floor(clock.now().getTime() / HOUR_MS);
}

/** JSON, so that no two bindings have the same text. */
function signedText(binding: XsrfBinding, hour: number, salt: string): string {
  return JSON.stringify([binding.browser, binding.sessionUid, binding.accountId, hour, salt]);
}

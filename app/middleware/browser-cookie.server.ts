import type { IncomingMessage } from "node:http";
import type { RequestHandler } from "express";
import type { AppContext } from "#app/context.server.ts";
import { hostCookie, LONGEST_COOKIE_SECONDS, readHostCookie } from "#app/http/cookies.server.ts";
import { isApiPath, isEnginePath, isMachinePath } from "./engine-paths.server.ts";
import { requestState } from "./request-state.server.ts";

const NAME = "browser";

/** 32 random bytes as base64url, as from `random.token()`. */
const VALUE = /^[\w-]{43}$/;

type BrowserCookieDeps = Pick<AppContext, "config" | "random">;

/** Returns the browser id from the cookie, or a new one if it is missing or malformed. */
export function browserOf(request: IncomingMessage, { config, random }: BrowserCookieDeps) {
  const value = readHostCookie(config, request.headers.cookie, NAME) ?? "";
  return VALUE.test(value)
    ? { browser: value, hasBrowserCookie: true }
    : { browser: random.token(), hasBrowserCookie: false };
}

/** Sets the browser cookie. */
export function setBrowserCookie({ config }: BrowserCookieDeps): RequestHandler {
  return (request, response, next) => {
    const { browser, hasBrowserCookie } = requestState(response);
    if (!hasBrowserCookie && maySetCookie(request.method, request.path)) {
      response.append(
        "Set-Cookie",
        hostCookie(config, { name: NAME, value: browser, maxAgeSeconds: LONGEST_COOKIE_SECONDS }),
      );
    }
    next();
  };
}

/**
 * Returns false for POSTs from clients, which come without our SameSite=Lax cookie: a new one would replace the
 * browser's cookie and everything bound to it. Also false for paths that only programs call.
 */
function maySetCookie(method: string, path: string): boolean {
  if (isApiPath(path)) return false;
  if (method === "GET" || method === "HEAD") return !isMachinePath(path);
  return !isEnginePath(path);
}

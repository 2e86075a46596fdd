import type { IncomingMessage } from "node:http";
import type { RequestHandler } from "express";
import type { AppContext } from "#app/context.server.ts";
import { browserCookie, isToken } from "#app/http/cookies.server.ts";
import { isApiPath, isEnginePath } from "./engine-paths.server.ts";
import { requestState } from "./request-state.server.ts";

type BrowserCookieDeps = Pick<AppContext, "config" | "random">;

/** Returns the browser id from the cookie, or a new one if it is missing or malformed. */
export function browserOf(request: IncomingMessage, { config, random }: BrowserCookieDeps) {
  const value = browserCookie.read(config, request.headers.cookie);
  return isToken(value)
    ? { browser: value, hasBrowserCookie: true }
    : { browser: random.token(), hasBrowserCookie: false };
}

/** Sets the browser cookie. */
export function setBrowserCookie({ config }: BrowserCookieDeps): RequestHandler {
  return (request, response, next) => {
    const { browser, hasBrowserCookie } = requestState(response);
    if (!hasBrowserCookie && maySetCookie(request.method, request.path)) {
      response.append("Set-Cookie", browserCookie.keep(config, browser));
    }
    next();
  };
}

/**
 * Returns false for POSTs from clients, which come without our SameSite=Lax cookie: a new one would replace the
 * browser's cookie and everything bound to it.
 */
function maySetCookie(method: string, path: string): boolean {
  if (isApiPath(path)) return false;
  return method === "GET" || method === "HEAD" || !isEnginePath(path);
}

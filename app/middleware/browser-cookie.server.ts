import type { IncomingMessage } from "node:http";
import type { RequestHandler } from "express";
import type { AppContext } from "#app/context.server.ts";
import { hostCookie, LONGEST_COOKIE_SECONDS, readHostCookie } from "#app/http/cookies.server.ts";
import { isApiPath, isEnginePath, isMachinePath } from "./engine-paths.server.ts";
import { requestState } from "./request-state.server.ts";

const NAME = "browser";

/** 32 random bytes as base64url, as `random.token()` makes them. */
const VALUE = /^[\w-]{43}$/;

type Parts = Pick<AppContext, "config" | "random">;

/** The browser's name from its cookie, or a new one where it has none, or one that we never made. */
export function browserOf(request: IncomingMessage, { config, random }: Parts) {
  const value = readHostCookie(config, request.headers.cookie, NAME) ?? "";
  return VALUE.test(value)
    ? { browser: value, browserIsKnown: true }
    : { browser: random.token(), browserIsKnown: false };
}

/** Hands a browser its cookie. */
export function giveBrowserCookie({ config }: Parts): RequestHandler {
  return (request, response, next) => {
    const { browser, browserIsKnown } = requestState(response);
    if (!browserIsKnown && mayBeGiven(request.method, request.path)) {
      response.append(
        "Set-Cookie",
        hostCookie(config, { name: NAME, value: browser, maxAgeSeconds: LONGEST_COOKIE_SECONDS }),
      );
    }
    next();
  };
}

/**
 * A POST from an application comes without our SameSite=Lax cookie, though the browser has one: a new one would
 * replace it, and with it everything that is bound to it. Machines have no use for a cookie.
 */
function mayBeGiven(method: string, path: string): boolean {
  if (isApiPath(path)) return false;
  if (method === "GET" || method === "HEAD") return !isMachinePath(path);
  return !isEnginePath(path);
}

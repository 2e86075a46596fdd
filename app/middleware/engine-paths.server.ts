import { ENGINE_ROUTES } from "#app/oidc/paths.ts";

/** Where the engine publishes what it can do (OpenID Connect Discovery, RFC 8414) and its keys. */
export const PUBLISHED_PATHS: readonly string[] = [
  "/.well-known/openid-configuration",
  "/.well-known/oauth-authorization-server",
  ENGINE_ROUTES.jwks,
];

/** Where a person's browser goes; the engine adds parts of its own to these paths. */
const FOR_BROWSERS = [ENGINE_ROUTES.authorization, ENGINE_ROUTES.end_session];

export function isEnginePath(path: string): boolean {
  return path.startsWith("/oauth2/") || path === ENGINE_ROUTES.userinfo || isPublishedPath(path);
}

/** Answers that are the same for everybody and may be kept. */
export function isPublishedPath(path: string): boolean {
  return PUBLISHED_PATHS.includes(path);
}

/** Engine paths that only programs call. */
export function isMachinePath(path: string): boolean {
  return isEnginePath(path) && !FOR_BROWSERS.some((start) => path === start || path.startsWith(`${start}/`));
}

/** Our own calls for programs. */
export function isApiPath(path: string): boolean {
  return path.startsWith("/api/");
}

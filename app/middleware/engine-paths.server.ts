import { ENGINE_ROUTES } from "#app/oidc/paths.ts";

/** Where the engine publishes what it can do (OpenID Connect Discovery, RFC 8414) and its keys. */
export const PUBLISHED_PATHS: readonly string[] = [
  "/.well-known/openid-configuration",
  "/.well-known/oauth-authorization-server",
  ENGINE_ROUTES.jwks,
];

const { authorization, end_session: endSession } = ENGINE_ROUTES;

/** Where a person's browser goes; the engine adds parts of its own to these paths. */
const FOR_BROWSERS = [authorization, endSession];

const PATHS: ReadonlySet<string> = new Set([
  ...Object.values(ENGINE_ROUTES),
  ...PUBLISHED_PATHS,
  `${endSession}/confirm`,
  `${endSession}/success`,
]);

/**
 * Returns true for the paths that the engine serves, as they are spelled in paths.ts. The engine's router also accepts
 * other capitals and a slash at the end; our own checks would miss such a path, so they respond 404 as unknown paths do.
 */
export function isEnginePath(path: string): boolean {
  return PATHS.has(path) || isInteractionPath(path);
}

/** The path at which an authorization request goes on: `/oauth2/auth/{uid}`. */
function isInteractionPath(path: string): boolean {
  const uid = path.startsWith(`${authorization}/`) ? path.slice(authorization.length + 1) : "";
  return uid !== "" && !uid.includes("/");
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

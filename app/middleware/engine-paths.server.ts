import { ENGINE_ROUTES } from "#app/oidc/paths.ts";

/** Metadata (OpenID Connect Discovery, RFC 8414) and key set. */
export const PUBLISHED_PATHS: readonly string[] = [
  "/.well-known/openid-configuration",
  "/.well-known/oauth-authorization-server",
  ENGINE_ROUTES.jwks,
];

const { authorization, end_session: endSession } = ENGINE_ROUTES;

/** Paths for browsers; oidc-provider also serves paths below them. */
const FOR_BROWSERS = [authorization, endSession];

const PATHS: ReadonlySet<string> = new Set([
  ...Object.values(ENGINE_ROUTES),
  ...PUBLISHED_PATHS,
  `${endSession}/confirm`,
  `${endSession}/success`,
]);

/**
 * Returns true for oidc-provider's paths, spelled as in paths.ts. Its router also accepts other capitals and a trailing
 * slash, which our checks would miss, so such paths respond 404.
 */
export function isEnginePath(path: string): boolean {
  return PATHS.has(path) || isInteractionPath(path);
}

const READ = ["GET", "HEAD"];

/**
 * Paths of oidc-provider that serve more than POST, and their methods. No HEAD where a GET signs a user in or out: a HEAD
 * request would issue a code, which a program that checks links does not use.
 */
const METHODS: ReadonlyMap<string, readonly string[]> = new Map<string, readonly string[]>([
  ...[...PUBLISHED_PATHS, `${endSession}/success`].map((path) => [path, READ] as const),
  ...FOR_BROWSERS.map((path) => [path, ["GET", "POST"]] as const),
  [ENGINE_ROUTES.userinfo, READ.concat("POST")],
]);

/** Returns the methods that oidc-provider serves at a path of its own, without CORS preflight; null for other paths. */
export function engineMethodsOf(path: string): readonly string[] | null {
  if (!isEnginePath(path)) return null;
  return METHODS.get(path) ?? (isInteractionPath(path) ? ["GET"] : ["POST"]);
}

/** Returns true for the path that resumes an interaction: `/oauth2/auth/{uid}`. */
function isInteractionPath(path: string): boolean {
  const uid = path.startsWith(`${authorization}/`) ? path.slice(authorization.length + 1) : "";
  return uid !== "" && !uid.includes("/");
}

/** Returns true for cacheable responses that are the same for all clients. */
export function isPublishedPath(path: string): boolean {
  return PUBLISHED_PATHS.includes(path);
}

/** Returns true for oidc-provider's paths that only programs call. */
export function isMachinePath(path: string): boolean {
  return isEnginePath(path) && !FOR_BROWSERS.some((start) => path === start || path.startsWith(`${start}/`));
}

export function isApiPath(path: string): boolean {
  return path.startsWith("/api/");
}

/** Returns true for the pages of the settings. */
export function isSettingsPage(path: string): boolean {
  return path === "/manage" || path.startsWith("/manage/");
}

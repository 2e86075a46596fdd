import type { RequestHandler } from "express";
import helmet from "helmet";
import onHeaders from "on-headers";
import type { AppContext } from "#app/context.server.ts";
import { isHttps } from "#app/http/cookies.server.ts";
import { isEnginePath, isPublishedPath } from "./engine-paths.server.ts";
import { requestState } from "./request-state.server.ts";

const YEAR_SECONDS = 365 * 24 * 60 * 60;

/** Nothing of a page may use the device, but for security keys on our own pages. */
const PERMISSIONS =
  "camera=(), geolocation=(), microphone=(), payment=(), usb=(), publickey-credentials-create=(self), publickey-credentials-get=(self)";

const NOWHERE = ["'none'"];

/**
 * Writes the security headers of every answer, at the last moment: by then the page has named its form targets, and
 * nothing can take a header away again.
 */
export function securityHeaders(
  { config }: Pick<AppContext, "config">,
  options: { isDevelopment: boolean },
): RequestHandler {
  const always = helmet({
    contentSecurityPolicy: false,
    crossOriginOpenerPolicy: { policy: "same-origin" },
    crossOriginResourcePolicy: { policy: "same-origin" },
    referrerPolicy: { policy: "same-origin" },
    // Not the subdomains: the office's other hosts are not ours to decide about.
    strictTransportSecurity: isHttps(config) ? { maxAge: YEAR_SECONDS, includeSubDomains: false } : false,
    xFrameOptions: { action: "deny" },
  });
  const pagePolicy = createPagePolicy(options);
  return (request, response, next) => {
    const isEngine = isEnginePath(request.path);
    const isPublished = isPublishedPath(request.path);
    // The engine adds the hash of its script to the policy it finds.
    if (isEngine) enginePolicy(request, response, throwError);
    onHeaders(response, () => {
      always(request, response, throwError);
      response.setHeader("Permissions-Policy", PERMISSIONS);
      if (!isEngine) pagePolicy(request, response, throwError);
      else if (!response.hasHeader("Content-Security-Policy")) enginePolicy(request, response, throwError);
      const isForAll = isPublished && response.statusCode < 400;
      if (!response.hasHeader("Cache-Control") && !isForAll) response.setHeader("Cache-Control", "no-store");
    });
    next();
  };
}

function createPagePolicy({ isDevelopment }: { isDevelopment: boolean }) {
  return helmet.contentSecurityPolicy({
    useDefaults: false,
    directives: {
      defaultSrc: NOWHERE,
      scriptSrc: ["'self'", (_request, response) => `'nonce-${requestState(response).cspNonce}'`],
      // Vite puts the styles into the page while they are being worked on.
      styleSrc: isDevelopment ? ["'self'", "'unsafe-inline'"] : ["'self'"],
      imgSrc: [(_request, response) => ["'self'", "data:", ...requestState(response).pictureSources].join(" ")],
      fontSrc: ["'self'"],
      connectSrc: ["'self'"],
      manifestSrc: ["'self'"],
      formAction: [(_request, response) => ["'self'", ...requestState(response).formTargets].join(" ")],
      frameAncestors: NOWHERE,
      baseUri: NOWHERE,
      objectSrc: NOWHERE,
    },
  });
}

/** No form-action: with response_mode=form_post the engine's page posts to the application, wherever that is. */
const enginePolicy = helmet.contentSecurityPolicy({
  useDefaults: false,
  directives: {
    defaultSrc: NOWHERE,
    scriptSrc: ["'self'"],
    frameAncestors: NOWHERE,
    baseUri: NOWHERE,
    objectSrc: NOWHERE,
  },
});

function throwError(error?: unknown): void {
  if (error) throw error;
}

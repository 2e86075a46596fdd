import helmet from "helmet";
import onHeaders from "on-headers";
import type { AppContext } from "#app/context.server.ts";
import { DAY_SECONDS } from "#app/durations.ts";
import { isHttps } from "#app/http/cookies.server.ts";
import { isEnginePath, isPublishedPath, isSettingsPage } from "./engine-paths.server.ts";
import { requestState } from "./request-state.server.ts";
import { pathOf, type Step } from "./step.server.ts";

const YEAR_SECONDS = 365 * DAY_SECONDS;

/** Denies device features; security keys are allowed on our own pages. */
const PERMISSIONS =
  "camera=(), geolocation=(), microphone=(), payment=(), usb=(), publickey-credentials-create=(self), publickey-credentials-get=(self)";

const NOWHERE = ["'none'"];

/**
 * Sets the security headers just before the headers are written: the page has set its form targets by then, and nothing
 * can remove a header. A response keeps its own Content-Security-Policy, as that of the logo.
 */
export function securityHeaders({ config }: Pick<AppContext, "config">, options: { isDevelopment: boolean }): Step {
  const always = helmet({
    contentSecurityPolicy: false,
    crossOriginOpenerPolicy: false,
    crossOriginResourcePolicy: { policy: "same-origin" },
    referrerPolicy: { policy: "same-origin" },
    // Without subdomains, which belong to other services.
    strictTransportSecurity: isHttps(config) ? { maxAge: YEAR_SECONDS, includeSubDomains: false } : false,
    xFrameOptions: { action: "deny" },
  });
  const policy = createPagePolicy({ ...options, formsMayLeave: false });
  const policyOfRequest = createPagePolicy({ ...options, formsMayLeave: true });
  return (request, response, next) => {
    const path = pathOf(request);
    const isEngine = isEnginePath(path);
    const isPublished = isPublishedPath(path);
    // oidc-provider adds the hash of its script to an existing policy.
    if (isEngine) enginePolicy(request, response, throwError);
    onHeaders(response, () => {
      always(request, response, throwError);
      response.setHeader("Permissions-Policy", PERMISSIONS);
      // Applications open the sign-in in a window of their own, which must keep its opener over all pages and redirects.
      const openers = isSettingsPage(path) ? "same-origin" : "unsafe-none";
      response.setHeader("Cross-Origin-Opener-Policy", openers);
      const pagePolicy = requestState(response).formsMayLeave ? policyOfRequest : policy;
      const setPolicy = isEngine ? enginePolicy : pagePolicy;
      if (!response.hasHeader("Content-Security-Policy")) setPolicy(request, response, throwError);
      const isForAll = isPublished && response.statusCode < 400;
      if (!response.hasHeader("Cache-Control") && !isForAll) response.setHeader("Cache-Control", "no-store");
    });
    next();
  };
}

/**
 * `formsMayLeave`: without form-action, because browsers apply it to the redirects after a form post too, and a client's
 * callback may redirect to further sites that are not known here. The redirect URI itself is registered.
 */
function createPagePolicy({ isDevelopment, formsMayLeave }: { isDevelopment: boolean; formsMayLeave: boolean }) {
  return helmet.contentSecurityPolicy({
    useDefaults: false,
    directives: {
      defaultSrc: NOWHERE,
      scriptSrc: ["'self'", (_request, response) => `'nonce-${requestState(response).cspNonce}'`],
      // Vite injects inline styles in development.
      styleSrc: isDevelopment ? ["'self'", "'unsafe-inline'"] : ["'self'"],
      imgSrc: [(_request, response) => ["'self'", "data:", ...requestState(response).pictureSources].join(" ")],
      fontSrc: ["'self'"],
      connectSrc: ["'self'"],
      manifestSrc: ["'self'"],
      ...(formsMayLeave ? {} : { formAction: ["'self'"] }),
      frameAncestors: NOWHERE,
      baseUri: NOWHERE,
      objectSrc: NOWHERE,
    },
  });
}

/** Without form-action, because with response_mode=form_post oidc-provider's page posts to the client. */
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

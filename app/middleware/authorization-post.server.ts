import express, { type RequestHandler } from "express";
import { ENGINE_ROUTES } from "#app/oidc/paths.ts";
import type { FailWithPage } from "./error-response.server.ts";

/** The body limit of oidc-provider's other paths; listen.server.ts allows a request line of this length. */
const MAX_PARAMETER_BYTES = 56 * 1024;

/** Endpoints that clients may call by form as well as by link. */
const PATHS = [ENGINE_ROUTES.authorization, ENGINE_ROUTES.end_session];

/**
 * Redirects an authorization or logout request by POST to a GET with the same parameters. OpenID Connect Core 1.0
 * §3.1.2.1 and RP-Initiated Logout 1.0 §2 require both methods; oidc-provider supports POST only with SameSite=None
 * cookies.
 */
export function redirectPostedRequests(failWith: FailWithPage): RequestHandler {
  const router = express.Router({ caseSensitive: true, strict: true });
  const type = "application/x-www-form-urlencoded";
  router.post(PATHS, express.text({ type, limit: MAX_PARAMETER_BYTES, inflate: false }));
  router.post(PATHS, (request, response) => {
    const body: unknown = request.body;
    if (typeof body !== "string") return failWith(request, response, { status: 415, code: "bad request" });
    const parameters = new URLSearchParams(body).toString();
    if (parameters.length > MAX_PARAMETER_BYTES) {
      return failWith(request, response, { status: 413, code: "bad request" });
    }
    response.status(303).set("Location", `${request.path}?${parameters}`).end();
  });
  return router;
}

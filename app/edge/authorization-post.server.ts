import express, { type RequestHandler } from "express";
import { ENGINE_ROUTES } from "#app/oidc/paths.ts";
import type { FailWith } from "./failure.server.ts";

/** As much as the engine takes on its other paths; serve.server.ts lets a request line of this length in. */
const MAX_PARAMETER_BYTES = 56 * 1024;

/**
 * POST /oauth2/auth goes on as a GET with the same parameters. OpenID Connect Core 1.0 section 3.1.2.1 demands both
 * methods; the engine takes the POST only with SameSite=None cookies.
 */
export function authorizationByPost(failWith: FailWith): RequestHandler {
  const router = express.Router({ caseSensitive: true, strict: true });
  const type = "application/x-www-form-urlencoded";
  router.post(ENGINE_ROUTES.authorization, express.text({ type, limit: MAX_PARAMETER_BYTES, inflate: false }));
  router.post(ENGINE_ROUTES.authorization, (request, response) => {
    const body: unknown = request.body;
    if (typeof body !== "string") return failWith(request, response, { status: 415, code: "bad request" });
    const parameters = new URLSearchParams(body).toString();
    if (parameters.length > MAX_PARAMETER_BYTES) {
      return failWith(request, response, { status: 413, code: "bad request" });
    }
    response.status(303).set("Location", `${ENGINE_ROUTES.authorization}?${parameters}`).end();
  });
  return router;
}

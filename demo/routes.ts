import express, { type Express, type Request } from "express";
import { AuthorizationResponseError, ResponseBodyError } from "openid-client";
import { type PageInput, type Problem, problemPage, signedOutPage, userPage, welcomePage } from "./pages.ts";
import { finishRegistration, hintsOf, showRegistrationHints, startRegistration } from "./registration.ts";
import type { Session } from "./sessions.ts";
import { STYLE } from "./style.ts";
import { LANGUAGES, type Language } from "./texts.ts";
import type { DemoAppDeps, Exchange } from "./types.ts";

/** Sign-ins that may be in progress in one browser at the same time. */
const MAX_PENDING_SIGN_INS = 5;

/** Creates the Express application with all its routes. */
export function createRoutes(deps: DemoAppDeps): Express {
  const app = express();
  app.disable("x-powered-by");
  app.use(handle(deps, protect));
  app.get("/style.css", handle(deps, showStyle));
  app.get("/", handle(deps, showHome));
  app.get("/sign-in", handle(deps, startSignIn));
  app.get("/callback", handle(deps, finishSignIn));
  app.get("/ask", handle(deps, showRegistrationHints));
  app.get("/join", handle(deps, startRegistration));
  app.post("/join", express.urlencoded({ extended: false, limit: "8kb" }), handle(deps, finishRegistration));
  app.post("/refresh", handle(deps, refreshTokens));
  app.post("/settings", handle(deps, openSettings));
  app.post("/sign-out", handle(deps, signOut));
  app.get("/signed-out", handle(deps, showSignedOut));
  app.use(handle(deps, showNotFound));
  return app;
}

type Handler = (deps: DemoAppDeps, exchange: Exchange) => Promise<void> | void;

/** Wraps a handler: a rejection becomes an error page (Express 4 ignores promises); without a response, calls `next`. */
function handle(deps: DemoAppDeps, handler: Handler): express.RequestHandler {
  return async (request, response, next) => {
    const input: PageInput = { language: languageOf(request), issuerName: deps.issuerName };
    try {
      await handler(deps, { request, response, input });
      if (!response.headersSent) next();
    } catch (error) {
      const { problem, details } = problemOf(error);
      response.status(problem === "unreachable" ? 502 : 400).send(problemPage(input, problem, details));
    }
  };
}

function languageOf(request: Request): Language {
  const accepted = request.acceptsLanguages([...LANGUAGES]);
  return LANGUAGES.find((language) => language === accepted) ?? "en";
}

/** Maps an error to a problem page and an error code for developers, which contains no token and no secret. */
function problemOf(error: unknown): { problem: Problem; details: string | null } {
  if (error instanceof AuthorizationResponseError) {
    return { problem: error.error === "access_denied" ? "denied" : "refused", details: error.error };
  }
  if (error instanceof ResponseBodyError) {
    return { problem: error.error === "invalid_grant" ? "ended" : "refused", details: error.error };
  }
  // `fetch` throws a TypeError when the provider is unreachable.
  if (error instanceof TypeError) return { problem: "unreachable", details: null };
  const code = typeof error === "object" && error !== null && "code" in error ? String(error.code) : null;
  return { problem: "refused", details: code };
}

/** Sets the security headers and rejects form posts of other origins. */
function protect(deps: DemoAppDeps, { request, response, input }: Exchange) {
  const provider = new URL(deps.issuer).origin;
  response.set({
    // The forms /sign-out and /settings redirect to the provider, and form-action covers redirects.
    "content-security-policy": `default-src 'none'; style-src 'self'; img-src data:; form-action 'self' ${provider}; base-uri 'none'; frame-ancestors 'none'`,
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",
    "cache-control": "no-store",
  });
  if (request.method === "POST" && request.headers.origin !== deps.url) {
    response.status(403).send(problemPage(input, "stale", null));
  }
}

function showStyle(_deps: DemoAppDeps, { response }: Exchange) {
  response.type("css").send(STYLE);
}

function showHome(deps: DemoAppDeps, { request, response, input }: Exchange) {
  const { user } = deps.sessions.open(request, response);
  response.send(user === null ? welcomePage(input) : userPage(input, user));
}

async function startSignIn(deps: DemoAppDeps, { request, response, input }: Exchange) {
  const session = deps.sessions.open(request, response);
  const { url, state } = await deps.relyingParty.startSignIn(input.language, hintsOf(request));
  session.pendingSignIns = [...session.pendingSignIns, state].slice(-MAX_PENDING_SIGN_INS);
  response.redirect(303, url.href);
}

async function finishSignIn(deps: DemoAppDeps, { request, response, input }: Exchange) {
  const session = deps.sessions.open(request, response);
  const pending = takePendingSignIn(session, request.query.state);
  if (pending === null) {
    response.status(400).send(problemPage(input, "stale", null));
    return;
  }
  session.user = await deps.relyingParty.finishSignIn(new URL(request.originalUrl, deps.url), pending);
  deps.sessions.rotateId(session, response);
  response.redirect(303, "/");
}

/** Finds and removes a sign-in in progress by its `state`; it can be finished once. */
function takePendingSignIn(session: Session, state: unknown) {
  const found = session.pendingSignIns.find((pending) => pending.state === state) ?? null;
  session.pendingSignIns = session.pendingSignIns.filter((pending) => pending !== found);
  return found;
}

async function refreshTokens(deps: DemoAppDeps, { request, response }: Exchange) {
  await refresh(deps, deps.sessions.open(request, response));
  response.redirect(303, "/");
}

/** The provider opens the login settings for an access token of the signed-in user. */
async function openSettings(deps: DemoAppDeps, { request, response }: Exchange) {
  const session = deps.sessions.open(request, response);
  // The access token is valid for ten minutes and may have expired.
  await refresh(deps, session);
  const target = session.user === null ? "/" : await deps.settings.urlFor(session.user.accessToken);
  response.redirect(303, target);
}

async function refresh(deps: DemoAppDeps, session: Session) {
  const { user } = session;
  if (user === null || user.refreshToken === null) return;
  // When the provider rejects the refresh token, the user is signed out of the application too.
  session.user = null;
  session.user = await deps.relyingParty.refresh({ ...user, refreshToken: user.refreshToken });
}

async function signOut(deps: DemoAppDeps, { request, response, input }: Exchange) {
  const session = deps.sessions.open(request, response);
  const { user } = session;
  deps.sessions.remove(session, response);
  if (user === null) {
    response.redirect(303, "/signed-out");
    return;
  }
  const target = await deps.relyingParty.signOutUrl(user.idToken, input.language);
  response.redirect(303, target.href);
}

function showSignedOut(_deps: DemoAppDeps, { response, input }: Exchange) {
  response.send(signedOutPage(input));
}

function showNotFound(_deps: DemoAppDeps, { response, input }: Exchange) {
  response.status(404).send(problemPage(input, "notFound", null));
}

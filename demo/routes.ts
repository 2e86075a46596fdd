import express, { type Express, type Request, type Response } from "express";
import { type PageInput, personPage, problemPage, signedOutPage, welcomePage } from "./pages.ts";
import { problemOf } from "./problems.ts";
import { beginJoin, finishJoin, hintsOf, showAsk } from "./registration.ts";
import type { Registrar } from "./registration-client.ts";
import type { RelyingParty } from "./relying-party.ts";
import type { Session, Sessions } from "./sessions.ts";
import type { SettingsDoor } from "./settings-client.ts";
import { STYLE } from "./style.ts";
import { LANGUAGES, type Language } from "./texts.ts";

/** What the pages work with. */
export type Desk = {
  url: string;
  issuer: string;
  issuerName: string;
  relyingParty: RelyingParty;
  registrar: Registrar;
  sessions: Sessions;
  settings: SettingsDoor;
};

type Handler = (desk: Desk, request: Request, response: Response) => Promise<void> | void;

/** A person may begin to sign in in so many tabs at once. */
const MAX_DEPARTURES = 5;

/** Makes the Express application: these are all of its pages. */
export function createDesk(desk: Desk): Express {
  const app = express();
  app.disable("x-powered-by");
  app.use(handledBy(desk, protect));
  app.get("/style.css", handledBy(desk, showStyle));
  app.get("/", handledBy(desk, showHome));
  app.get("/sign-in", handledBy(desk, beginSignIn));
  app.get("/callback", handledBy(desk, finishSignIn));
  app.get("/ask", visitedBy(desk, showAsk));
  app.get("/join", visitedBy(desk, beginJoin));
  app.post("/join", express.urlencoded({ extended: false, limit: "8kb" }), visitedBy(desk, finishJoin));
  app.post("/refresh", handledBy(desk, refreshTokens));
  app.post("/settings", handledBy(desk, openSettings));
  app.post("/sign-out", handledBy(desk, signOut));
  app.get("/signed-out", handledBy(desk, showSignedOut));
  app.use(handledBy(desk, showNotFound));
  return app;
}

/** Express 4 does not wait for promises: what fails becomes a page here. A handler that answered nothing hands on. */
function handledBy(desk: Desk, handler: Handler): express.RequestHandler {
  return async (request, response, next) => {
    try {
      await handler(desk, request, response);
      if (!response.headersSent) next();
    } catch (error) {
      const { problem, details } = problemOf(error);
      response
        .status(problem === "unreachable" ? 502 : 400)
        .send(problemPage(inputOf(desk, request), problem, details));
    }
  };
}

type Visited = (desk: Desk, visit: { request: Request; response: Response; input: PageInput }) => Promise<void> | void;

function visitedBy(desk: Desk, handler: Visited): express.RequestHandler {
  return handledBy(desk, (_desk, request, response) =>
    handler(desk, { request, response, input: inputOf(desk, request) }),
  );
}

/** Headers of every answer; and other sites' forms are turned away. */
function protect(desk: Desk, request: Request, response: Response) {
  const provider = new URL(desk.issuer).origin;
  response.set({
    // Signing out and the settings are forms of ours whose answers lead to the provider.
    "content-security-policy": `default-src 'none'; style-src 'self'; img-src data:; form-action 'self' ${provider}; base-uri 'none'; frame-ancestors 'none'`,
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",
    "cache-control": "no-store",
  });
  if (request.method === "POST" && request.headers.origin !== desk.url) {
    response.status(403).send(problemPage(inputOf(desk, request), "stale", null));
  }
}

function showStyle(_desk: Desk, _request: Request, response: Response) {
  response.type("css").send(STYLE);
}

function showHome(desk: Desk, request: Request, response: Response) {
  const { person } = desk.sessions.open(request, response);
  const input = inputOf(desk, request);
  response.send(person === null ? welcomePage(input) : personPage(input, person));
}

async function beginSignIn(desk: Desk, request: Request, response: Response) {
  const session = desk.sessions.open(request, response);
  const { url, departure } = await desk.relyingParty.depart(languageOf(request), hintsOf(request));
  session.departures = [...session.departures, departure].slice(-MAX_DEPARTURES);
  response.redirect(303, url.href);
}

async function finishSignIn(desk: Desk, request: Request, response: Response) {
  const session = desk.sessions.open(request, response);
  const departure = takeDeparture(session, request.query.state);
  if (departure === null) {
    response.status(400).send(problemPage(inputOf(desk, request), "stale", null));
    return;
  }
  session.person = await desk.relyingParty.arrive(new URL(request.originalUrl, desk.url), departure);
  desk.sessions.rename(session, response);
  response.redirect(303, "/");
}

async function refreshTokens(desk: Desk, request: Request, response: Response) {
  const session = desk.sessions.open(request, response);
  const { person } = session;
  if (person?.refreshToken != null) {
    // Forgotten first: when the provider refuses, the person is signed out here too.
    session.person = null;
    session.person = await desk.relyingParty.refresh({ ...person, refreshToken: person.refreshToken });
  }
  response.redirect(303, "/");
}

/** The settings belong to the provider: it opens them for an application that the person is signed in to. */
async function openSettings(desk: Desk, request: Request, response: Response) {
  const session = desk.sessions.open(request, response);
  if (session.person?.refreshToken != null) {
    // The access token at hand may have been good for its ten minutes.
    const { person } = session;
    session.person = null;
    session.person = await desk.relyingParty.refresh({ ...person, refreshToken: person.refreshToken ?? "" });
  }
  const target = session.person === null ? "/" : await desk.settings.urlFor(session.person.accessToken);
  response.redirect(303, target);
}

async function signOut(desk: Desk, request: Request, response: Response) {
  const session = desk.sessions.open(request, response);
  const { person } = session;
  desk.sessions.forget(session, response);
  if (person === null) {
    response.redirect(303, "/signed-out");
    return;
  }
  const target = await desk.relyingParty.signOutUrl(person.idToken, languageOf(request));
  response.redirect(303, target.href);
}

function showSignedOut(desk: Desk, request: Request, response: Response) {
  response.send(signedOutPage(inputOf(desk, request)));
}

function showNotFound(desk: Desk, request: Request, response: Response) {
  response.status(404).send(problemPage(inputOf(desk, request), "notFound", null));
}

/** Each sign-in that was begun can be finished once. */
function takeDeparture(session: Session, state: unknown) {
  const departure = session.departures.find((one) => one.state === state) ?? null;
  session.departures = session.departures.filter((one) => one !== departure);
  return departure;
}

function inputOf({ issuerName }: Desk, request: Request): PageInput {
  return { language: languageOf(request), issuerName };
}

function languageOf(request: Request): Language {
  const wanted = request.acceptsLanguages([...LANGUAGES]);
  return LANGUAGES.find((language) => language === wanted) ?? "en";
}

import { randomBytes } from "node:crypto";
import express, { type Request as Asked, type Express, type Response as Reply, type RequestHandler } from "express";
import * as client from "openid-client";
import { z } from "zod";
import { appPage } from "./app-page.ts";

/** The registration of a client, and the URL of the application. */
export type Registration = { issuer: string; url: string; clientId: string; clientSecret: string };

/** State of an authorization request until the callback. */
type PendingSignIn = { state: string; nonce: string; codeVerifier: string; maxAge: number | null };

type SignedIn = { claims: client.IDToken; tokens: client.TokenEndpointResponse };

type AppDeps = {
  provider: client.Configuration;
  url: string;
  /** By state, not by cookie: a cross-site form_post has no cookies. */
  pendingSignIns: Map<string, PendingSignIn>;
  sessions: Map<string, SignedIn>;
};

const COOKIE = "desk";

/** Default scope. */
const DEFAULT_SCOPE = "openid profile email offline";

/**
 * Creates a confidential client built on openid-client: code flow with PKCE, state and nonce, verified ID token,
 * userinfo, refresh, introspection, revocation, PAR, form_post, logout. The query of `/sign-in` is added to the
 * authorization request.
 */
export async function createOpenidClientApp({ issuer, url, clientId, clientSecret }: Registration): Promise<Express> {
  const secret = client.ClientSecretBasic(clientSecret);
  const provider = await client.discovery(new URL(issuer), clientId, undefined, secret, {
    execute: [client.allowInsecureRequests, client.enableNonRepudiationChecks],
  });
  const deps: AppDeps = { provider, url, pendingSignIns: new Map(), sessions: new Map() };
  const app = express();
  app.get("/", (request, reply) => void reply.send(homePage(findUser(deps, request))));
  app.get(
    "/sign-in",
    withErrorPage((request, reply) => startSignIn(deps, request, reply)),
  );
  app.all(
    "/callback",
    express.text({ type: "application/x-www-form-urlencoded" }),
    withErrorPage((request, reply) => handleCallback(deps, request, reply)),
  );
  for (const [path, act] of Object.entries(ACTIONS)) {
    app.post(
      path,
      withErrorPage(async (request, reply) => {
        const { tokens } = getUser(deps, request);
        reply.send(appPage({ title: "Done", details: { answer: await act(deps, tokens) }, links: { Home: "/" } }));
      }),
    );
  }
  app.get(
    "/sign-out",
    withErrorPage((request, reply) => signOut(deps, request, reply)),
  );
  app.get("/signed-out", (_request, reply) => void reply.send(appPage({ title: "You have left the desk" })));
  return app;
}

function homePage(user: SignedIn | null): string {
  if (!user) return appPage({ title: "Desk", links: { "Sign in": "/sign-in" } });
  return appPage({
    title: "Welcome to the desk",
    details: { claims: user.claims, scope: user.tokens.scope },
    links: { "Sign in again": "/sign-in", "Sign out": "/sign-out", "Sign out, but ask": "/sign-out?ask=1" },
    buttons: { "Read profile": "/userinfo", Refresh: "/refresh", Introspect: "/introspect", Revoke: "/revoke" },
  });
}

/** `pushed=1` pushes the request (RFC 9126); other parameters are added to it. */
async function startSignIn({ provider, url, pendingSignIns }: AppDeps, request: Asked, reply: Reply) {
  const { pushed, ...extra } = Object.fromEntries(new URL(request.originalUrl, url).searchParams);
  const state = client.randomState();
  const nonce = client.randomNonce();
  const codeVerifier = client.randomPKCECodeVerifier();
  pendingSignIns.set(state, { state, nonce, codeVerifier, maxAge: extra.max_age ? Number(extra.max_age) : null });
  const parameters = {
    redirect_uri: `${url}/callback`,
    scope: DEFAULT_SCOPE,
    state,
    nonce,
    code_challenge: await client.calculatePKCECodeChallenge(codeVerifier),
    code_challenge_method: "S256",
    ...extra,
  };
  const target = pushed
    ? await client.buildAuthorizationUrlWithPAR(provider, parameters)
    : client.buildAuthorizationUrl(provider, parameters);
  reply.redirect(303, target.href);
}

async function handleCallback({ provider, url, pendingSignIns, sessions }: AppDeps, request: Asked, reply: Reply) {
  const address = new URL(request.originalUrl, url);
  const posted = request.method === "POST" ? new URLSearchParams(String(request.body)) : null;
  const pending = pendingSignIns.get((posted ?? address.searchParams).get("state") ?? "");
  if (!pending) throw new Error("no sign-in was started with this state");
  pendingSignIns.delete(pending.state);
  const answer = posted ? new Request(address, { method: "POST", body: posted }) : address;
  const tokens = await client.authorizationCodeGrant(provider, answer, {
    expectedState: pending.state,
    expectedNonce: pending.nonce,
    pkceCodeVerifier: pending.codeVerifier,
    idTokenExpected: true,
    ...(pending.maxAge === null ? {} : { maxAge: pending.maxAge }),
  });
  const claims = tokens.claims();
  if (!claims) throw new Error("the provider sent no ID token");
  const id = randomBytes(16).toString("base64url");
  sessions.set(id, { claims, tokens });
  reply.cookie(COOKIE, id, { httpOnly: true, sameSite: "lax" }).redirect(303, "/");
}

const ACTIONS: Readonly<Record<string, (deps: AppDeps, tokens: client.TokenEndpointResponse) => Promise<unknown>>> = {
  "/userinfo": ({ provider }, { access_token }) =>
    client.fetchUserInfo(provider, access_token, client.skipSubjectCheck),
  "/refresh": async ({ provider }, { refresh_token }) => {
    const fresh = await client.refreshTokenGrant(provider, refresh_token ?? "");
    return { ...fresh, isRotated: fresh.refresh_token !== refresh_token };
  },
  "/introspect": ({ provider }, { access_token }) => client.tokenIntrospection(provider, access_token),
  "/revoke": async ({ provider }, { access_token }) => {
    await client.tokenRevocation(provider, access_token);
    return client.tokenIntrospection(provider, access_token);
  },
};

/** `ask=1` omits the id_token_hint, so that the provider asks the user. */
function signOut({ provider, url, sessions }: AppDeps, request: Asked, reply: Reply) {
  const id = readCookie(request);
  const hint = request.query.ask ? undefined : sessions.get(id)?.tokens.id_token;
  sessions.delete(id);
  const target = client.buildEndSessionUrl(provider, {
    post_logout_redirect_uri: `${url}/signed-out`,
    ...(hint === undefined ? {} : { id_token_hint: hint }),
  });
  reply.clearCookie(COOKIE).redirect(303, target.href);
}

function findUser({ sessions }: AppDeps, request: Asked): SignedIn | null {
  return sessions.get(readCookie(request)) ?? null;
}

function getUser(deps: AppDeps, request: Asked): SignedIn {
  const user = findUser(deps, request);
  if (!user) throw new Error("no user is signed in");
  return user;
}

function readCookie(request: Asked): string {
  return new RegExp(`(?:^|; )${COOKIE}=([\\w-]+)`).exec(request.headers.cookie ?? "")?.[1] ?? "";
}

const refusal = z.object({ error: z.string(), error_description: z.string().default("") });

/** Wraps a handler: an error is shown on a page, with the provider's error code if it has one. */
function withErrorPage(handler: (request: Asked, reply: Reply) => Promise<void> | void): RequestHandler {
  return async (request, reply) => {
    try {
      await handler(request, reply);
    } catch (error) {
      const known = refusal.safeParse(error);
      const details = known.success ? known.data : { error: String(error) };
      reply.status(400).send(appPage({ title: "The desk stays closed", details, links: { Home: "/" } }));
    }
  };
}

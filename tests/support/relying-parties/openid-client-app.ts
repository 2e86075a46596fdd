import { randomBytes } from "node:crypto";
import express, { type Request as Asked, type Express, type Response as Reply, type RequestHandler } from "express";
import * as client from "openid-client";
import { z } from "zod";
import { appPage } from "./app-page.ts";

/** The registration of a client, and the URL of the application. */
export type Registration = { issuer: string; url: string; clientId: string; clientSecret: string };

/** State of an authorization request until the callback. */
type Departure = { state: string; nonce: string; codeVerifier: string; maxAge: number | null };

type SignedIn = { claims: client.IDToken; tokens: client.TokenEndpointResponse };

type Parts = {
  provider: client.Configuration;
  url: string;
  /** By state, not by cookie: a cross-site form_post has no cookies. */
  departures: Map<string, Departure>;
  sessions: Map<string, SignedIn>;
};

const COOKIE = "desk";

/** Default scope. */
export const DESK_SCOPE = "openid profile email offline";

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
  const parts: Parts = { provider, url, departures: new Map(), sessions: new Map() };
  const app = express();
  app.get("/", (asked, reply) => void reply.send(homePage(findPerson(parts, asked))));
  app.get(
    "/sign-in",
    told((asked, reply) => depart(parts, asked, reply)),
  );
  app.all(
    "/callback",
    express.text({ type: "application/x-www-form-urlencoded" }),
    told((asked, reply) => arrive(parts, asked, reply)),
  );
  for (const [path, act] of Object.entries(ACTIONS)) {
    app.post(
      path,
      told(async (asked, reply) => {
        const { tokens } = getPerson(parts, asked);
        reply.send(appPage({ title: "Done", facts: { answer: await act(parts, tokens) }, links: { Home: "/" } }));
      }),
    );
  }
  app.get(
    "/sign-out",
    told((asked, reply) => signOut(parts, asked, reply)),
  );
  app.get("/signed-out", (_asked, reply) => void reply.send(appPage({ title: "You have left the desk" })));
  return app;
}

function homePage(person: SignedIn | null): string {
  if (!person) return appPage({ title: "Desk", links: { "Sign in": "/sign-in" } });
  return appPage({
    title: "Welcome to the desk",
    facts: { claims: person.claims, scope: person.tokens.scope },
    links: { "Sign in again": "/sign-in", "Sign out": "/sign-out", "Sign out, but ask": "/sign-out?ask=1" },
    buttons: { "Read profile": "/userinfo", Refresh: "/refresh", Introspect: "/introspect", Revoke: "/revoke" },
  });
}

/** `pushed=1` pushes the request (RFC 9126); other parameters are added to it. */
async function depart({ provider, url, departures }: Parts, asked: Asked, reply: Reply) {
  const { pushed, ...extra } = Object.fromEntries(new URL(asked.originalUrl, url).searchParams);
  const state = client.randomState();
  const nonce = client.randomNonce();
  const codeVerifier = client.randomPKCECodeVerifier();
  departures.set(state, { state, nonce, codeVerifier, maxAge: extra.max_age ? Number(extra.max_age) : null });
  const parameters = {
    redirect_uri: `${url}/callback`,
    scope: DESK_SCOPE,
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

async function arrive({ provider, url, departures, sessions }: Parts, asked: Asked, reply: Reply) {
  const address = new URL(asked.originalUrl, url);
  const posted = asked.method === "POST" ? new URLSearchParams(String(asked.body)) : null;
  const departure = departures.get((posted ?? address.searchParams).get("state") ?? "");
  if (!departure) throw new Error("nobody left from here with this state");
  departures.delete(departure.state);
  const answer = posted ? new Request(address, { method: "POST", body: posted }) : address;
  const tokens = await client.authorizationCodeGrant(provider, answer, {
    expectedState: departure.state,
    expectedNonce: departure.nonce,
    pkceCodeVerifier: departure.codeVerifier,
    idTokenExpected: true,
    ...(departure.maxAge === null ? {} : { maxAge: departure.maxAge }),
  });
  const claims = tokens.claims();
  if (!claims) throw new Error("the provider sent no ID token");
  const id = randomBytes(16).toString("base64url");
  sessions.set(id, { claims, tokens });
  reply.cookie(COOKIE, id, { httpOnly: true, sameSite: "lax" }).redirect(303, "/");
}

const ACTIONS: Readonly<Record<string, (parts: Parts, tokens: client.TokenEndpointResponse) => Promise<unknown>>> = {
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
function signOut({ provider, url, sessions }: Parts, asked: Asked, reply: Reply) {
  const id = readCookie(asked);
  const hint = asked.query.ask ? undefined : sessions.get(id)?.tokens.id_token;
  sessions.delete(id);
  const target = client.buildEndSessionUrl(provider, {
    post_logout_redirect_uri: `${url}/signed-out`,
    ...(hint === undefined ? {} : { id_token_hint: hint }),
  });
  reply.clearCookie(COOKIE).redirect(303, target.href);
}

function findPerson({ sessions }: Parts, asked: Asked): SignedIn | null {
  return sessions.get(readCookie(asked)) ?? null;
}

function getPerson(parts: Parts, asked: Asked): SignedIn {
  const person = findPerson(parts, asked);
  if (!person) throw new Error("nobody is signed in");
  return person;
}

function readCookie(asked: Asked): string {
  return new RegExp(`(?:^|; )${COOKIE}=([\\w-]+)`).exec(asked.headers.cookie ?? "")?.[1] ?? "";
}

const refusal = z.object({ error: z.string(), error_description: z.string().default("") });

/** Wraps a handler: an error is shown on a page, with the provider's error code if it has one. */
function told(handler: (asked: Asked, reply: Reply) => Promise<void> | void): RequestHandler {
  return async (asked, reply) => {
    try {
      await handler(asked, reply);
    } catch (error) {
      const known = refusal.safeParse(error);
      const facts = known.success ? known.data : { error: String(error) };
      reply.status(400).send(appPage({ title: "The desk stays closed", facts, links: { Home: "/" } }));
    }
  };
}

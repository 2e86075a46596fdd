import express, { type Express } from "express";
import session from "express-session";
import { createRemoteJWKSet, jwtVerify } from "jose";
import passport from "passport";
import { Strategy } from "passport-openidconnect";
import { appPage } from "./app-page.ts";
import type { Registration } from "./openid-client-app.ts";

const SESSION_SECRET = "only the tests know this";

/**
 * Creates a confidential client built on passport-openidconnect and express-session: no PKCE, client_secret_post. The
 * library does not verify the signature of the ID token; the application does.
 */
export function createPassportApp({ issuer, url, clientId, clientSecret }: Registration): Express {
  const authenticator = new passport.Passport();
  authenticator.serializeUser((user, done) => done(null, user));
  authenticator.deserializeUser((user, done) => done(null, user));
  authenticator.use(
    new Strategy(
      {
        issuer,
        authorizationURL: `${issuer}/oauth2/auth`,
        tokenURL: `${issuer}/oauth2/token`,
        userInfoURL: `${issuer}/userinfo`,
        clientID: clientId,
        clientSecret,
        callbackURL: `${url}/callback`,
        scope: ["profile", "email"],
        nonce: true,
      },
      createVerify({ issuer, clientId }),
    ),
  );

  const app = express();
  app.use(session({ secret: SESSION_SECRET, resave: false, saveUninitialized: false, name: "passport-app" }));
  app.use(authenticator.session());
  app.get("/", (request, reply) => void reply.send(homePage(request.user)));
  app.get("/sign-in", authenticator.authenticate("openidconnect"));
  app.get(
    "/callback",
    authenticator.authenticate("openidconnect", { successRedirect: "/", failureRedirect: "/refused" }),
  );
  app.get("/refused", (_request, reply) => void reply.send(appPage({ title: "You were not let in" })));
  app.get("/sign-out", (request, reply, next) => {
    const target = new URL(`${issuer}/oauth2/sessions/logout`);
    target.search = new URLSearchParams({ client_id: clientId, post_logout_redirect_uri: `${url}/` }).toString();
    request.logout((error) => (error ? next(error) : reply.redirect(303, target.href)));
  });
  return app;
}

function homePage(user: unknown): string {
  if (!user) return appPage({ title: "Policies", links: { "Sign in": "/sign-in" } });
  return appPage({ title: "Your policies", details: { user }, links: { "Sign out": "/sign-out" } });
}

type Done = (error: unknown, user?: unknown) => void;

/** The library passes userinfo and ID token only to a function with nine parameters. */
function createVerify({ issuer, clientId }: { issuer: string; clientId: string }) {
  const keys = createRemoteJWKSet(new URL(`${issuer}/.well-known/jwks.json`));
  return (
    _issuer: string,
    profile: { username?: string; displayName?: string },
    _idProfile: unknown,
    _context: unknown,
    idToken: string,
    _accessToken: string,
    _refreshToken: string,
    _tokens: unknown,
    done: Done,
  ) => {
    jwtVerify(idToken, keys, { issuer, audience: clientId }).then(
      ({ payload }) => done(null, { claims: payload, profile }),
      (error: unknown) => done(error),
    );
  };
}

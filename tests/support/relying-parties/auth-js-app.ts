import { ExpressAuth, type ExpressAuthConfig, getSession } from "@auth/express";
import express, { type Express } from "express";
import { appPage } from "./app-page.ts";
import type { Registration } from "./openid-client-app.ts";

const SESSION_SECRET = "a text of more than thirty-two letters for the tests";

/** A confidential application built on Auth.js: everything from discovery, all checks on, its own sign-in pages. */
export function createAuthJsApp({ issuer, clientId, clientSecret }: Omit<Registration, "url">): Express {
  const config: ExpressAuthConfig = {
    secret: SESSION_SECRET,
    trustHost: true,
    basePath: "/auth",
    providers: [
      {
        id: "gatehouse",
        name: "Gatehouse",
        type: "oidc",
        issuer,
        clientId,
        clientSecret,
        checks: ["pkce", "state", "nonce"],
        // Name and e-mail come from userinfo; the ID token says who, when and how.
        idToken: false,
        // The library's own pages would fetch a picture from its home page.
        style: { logo: "" },
      },
    ],
    callbacks: {
      // By default a session holds name, e-mail and picture only.
      jwt: ({ token, profile }) => (profile ? { ...token, profile } : token),
      session: ({ session, token }) => ({ ...session, profile: token.profile }),
    },
  };
  const app = express();
  app.use("/auth", ExpressAuth(config));
  app.get("/", async (asked, reply) => {
    const session = await getSession(asked, config);
    reply.send(
      session
        ? appPage({ title: "Your claims desk", facts: { session }, links: { "Sign out": "/auth/signout" } })
        : appPage({ title: "Claims desk", links: { "Sign in": "/auth/signin" } }),
    );
  });
  return app;
}

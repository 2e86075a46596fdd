import { ExpressAuth, type ExpressAuthConfig, getSession } from "@auth/express";
import express, { type Express } from "express";
import { appPage } from "./app-page.ts";
import type { Registration } from "./openid-client-app.ts";

const SESSION_SECRET = "a text of more than thirty-two letters for the tests";

/** Creates a confidential client built on Auth.js: discovery, all checks, the library's sign-in pages. */
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
        // Name and e-mail come from userinfo, not from the ID token.
        idToken: false,
        // By default the library's pages load a logo from its website.
        style: { logo: "" },
      },
    ],
    callbacks: {
      // By default a session contains name, e-mail and picture only.
      jwt: ({ token, profile }) => (profile ? { ...token, profile } : token),
      session: ({ session, token }) => ({ ...session, profile: token.profile }),
    },
  };
  const app = express();
  app.use("/auth", ExpressAuth(config));
  app.get("/", async (request, reply) => {
    const session = await getSession(request, config);
    reply.send(
      session
        ? appPage({ title: "Your claims desk", details: { session }, links: { "Sign out": "/auth/signout" } })
        : appPage({ title: "Claims desk", links: { "Sign in": "/auth/signin" } }),
    );
  });
  return app;
}

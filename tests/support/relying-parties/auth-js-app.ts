import { ExpressAuth, getSession } from "@auth/express";
import express, { type Express } from "express";
import { appPage } from "./app-page.ts";
import type { Registration } from "./openid-client-app.ts";

const SESSION_SECRET = "a text of more than thirty-two letters for the tests";

/** A confidential application built on Auth.js: everything from discovery, all checks on, its own sign-in pages. */
export function createAuthJsApp({ issuer, clientId, clientSecret }: Registration): Express {
  const config = {
    secret: SESSION_SECRET,
    trustHost: true,
    basePath: "/auth",
    providers: [
      {
        id: "gatehouse",
        name: "Gatehouse",
        type: "oidc" as const,
        issuer,
        clientId,
        clientSecret,
        checks: ["pkce" as const, "state" as const, "nonce" as const],
      },
    ],
    callbacks: {
      // By default a session holds name, e-mail and picture only.
      jwt: ({ token, profile }: { token: Record<string, unknown>; profile?: unknown }) =>
        profile ? { ...token, profile } : token,
      session: ({ session, token }: { session: object; token: Record<string, unknown> }) => ({
        ...session,
        profile: token.profile,
      }),
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

import { createHmac } from "node:crypto";
import { findUser } from "#app/db/repositories/users.server.ts";
import type { User } from "#app/db/schema.server.ts";
import { SESSION_IDLE_SECONDS } from "#app/domain/session/policy.ts";
import { openPageSession } from "#app/domain/settings/page-session.server.ts";
import { acrOf } from "#app/domain/sign-in/subject.server.ts";
import { browserCookie, settingsCookie } from "#app/http/cookies.server.ts";
import { setGeneration } from "#app/oidc/session-generation.server.ts";
import type { TestServer, TestUser } from "#tests/support/server.ts";
import type { BrowserUser, Installation } from "./installation.ts";

type Signed = { user: User; sessionUid: string; signedInAt: Date };

/** Signs a user in, in this browser, without the sign-in page: stores a session and sets its cookie. */
export async function seedSession(
  { server }: Pick<Installation, "server">,
  browserUser: Pick<BrowserUser, "context">,
  { id }: Pick<TestUser, "id">,
): Promise<Signed> {
  const { context } = server;
  const user = await findUser(context.store, id);
  if (!user) throw new Error(`There is no user ${id}`);
  const provider = await context.oidc.provider();
  const session = new provider.Session();
  const signedInAt = context.clock.now();
  const loginTs = Math.floor(signedInAt.getTime() / 1000);
  const amr = ["pwd"];
  session.loginAccount({ accountId: user.id, loginTs, amr, acr: acrOf(amr) });
  setGeneration(session, user.generation);
  await session.save(SESSION_IDLE_SECONDS);
  const name = provider.cookieName("session");
  await setCookies(server, browserUser, [
    { name, value: session.jti },
    { name: `${name}.sig`, value: sign(`${name}=${session.jti}`, context.secrets.cookieKeys[0] ?? "") },
  ]);
  return { user, sessionUid: session.uid, signedInAt };
}

/**
 * Signs a user in and opens the settings, in this browser, without the pages before them. `isProven`: false for
 * settings that need a proof of identity before a sensitive change.
 */
export async function seedSettings(
  installation: Pick<Installation, "server">,
  browserUser: Pick<BrowserUser, "context">,
  testUser: Pick<TestUser, "id">,
  { isProven = true }: { isProven?: boolean } = {},
): Promise<void> {
  const { server } = installation;
  const { config, random } = server.context;
  const { user, sessionUid, signedInAt } = await seedSession(installation, browserUser, testUser);
  const browser = random.token();
  const token = await openPageSession(
    server.context,
    {
      userId: user.id,
      generation: user.generation,
      authTime: isProven ? signedInAt : null,
      sessionUid,
      clientId: null,
      returnToUrl: null,
    },
    { replaced: "", browser, address: "127.0.0.1", userAgent: "", requestId: "seeded" },
  );
  await setCookies(server, browserUser, [
    { name: browserCookie.name(config), value: browser },
    { name: settingsCookie.name(config), value: token },
  ]);
}

type Cookie = { name: string; value: string };

function setCookies(
  { url }: Pick<TestServer, "url">,
  { context }: Pick<BrowserUser, "context">,
  cookies: readonly Cookie[],
): Promise<void> {
  const { hostname: domain } = new URL(url);
  return context.addCookies(
    cookies.map((cookie) => ({ ...cookie, domain, path: "/", httpOnly: true, sameSite: "Lax" as const })),
  );
}

/** Signs a cookie like oidc-provider (package keygrip): HMAC-SHA-1 as base64url. */
function sign(cookie: string, key: string): string {
  return createHmac("sha1", key).update(cookie).digest("base64url");
}

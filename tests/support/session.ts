import { createHmac } from "node:crypto";
import { findUserInBrowser } from "#app/db/repositories/known-browsers.server.ts";
import { SESSION_IDLE_SECONDS } from "#app/domain/engine-session/lifetime.ts";
import type { Subject } from "#app/domain/engine-session/subject.server.ts";
import { hashToken } from "#app/domain/secret/token-hash.server.ts";
import { signInWithPassword } from "#app/domain/sign-in/with-password.server.ts";
import { checkSignInPolicy } from "#app/domain/sign-in-policy/sign-in-policy.server.ts";
import { parseLoginName } from "#app/domain/username/typed-name.server.ts";
import { browserCookie } from "#app/http/cookies.server.ts";
import { rememberUsername } from "#app/http/remembered-username.server.ts";
import { setGeneration } from "#app/oidc/session-generation.server.ts";
import { type Browser, USER_AGENT } from "./browser-jar.ts";
import { type TestServer, type TestUser, verifyOnce } from "./server.ts";

type Cookie = { name: string; value: string };

/** A stored session of the engine, and its cookies. */
type StoredSession = { uid: string; signedInAt: Date; cookies: Cookie[] };

/**
 * Signs in with the password like the sign-in form, but without its pages: calls the same domain function, stores the
 * session and sets the browser's cookies. Returns false, without an attempt, if the form would not start a session: the
 * password is wrong, the user is blocked or needs a second factor, or this browser has a session.
 */
export async function seedSession(
  { context, url }: Pick<TestServer, "context" | "url">,
  { jar }: Pick<Browser, "jar">,
  { username, password }: Pick<TestUser, "username" | "password">,
  { clientId = null }: { clientId?: string | null } = {},
): Promise<boolean> {
  const { config, random } = context;
  const provider = await context.oidc.provider();
  if (jar.find(provider.cookieName("session"))) return false;
  const browser = jar.find(browserCookie.name(config))?.value ?? random.token();
  const deps = { ...context, hasher: verifyOnce(context.hasher) };
  if (!(await canSignIn(deps, { username, password, browser }))) return false;
  const metadata = { browser, address: "127.0.0.1", userAgent: USER_AGENT, requestId: random.token(), clientId };
  const signIn = await signInWithPassword(deps, { ...metadata, uid: random.token(), username, password });
  if (signIn.kind !== "signed-in") return false;
  const { cookies } = await storeSession({ context }, signIn.subject);
  const engineCookies = cookies.map(({ name, value }) => `${name}=${value}; path=/; samesite=lax; httponly`);
  const usernameHeaders = await rememberUsername(
    { ...context, browser },
    { typed: username, userId: signIn.subject.userId },
  );
  const usernameCookies = usernameHeaders.map(([, cookie]) => cookie);
  jar.take(new URL(url), [browserCookie.keep(config, browser), ...engineCookies, ...usernameCookies]);
  return true;
}

async function canSignIn(
  context: TestServer["context"],
  { username, password, browser }: { username: string; password: string; browser: string },
): Promise<boolean> {
  const browserHash = hashToken(browser);
  const { user } = await findUserInBrowser(context.store, { ...parseLoginName(username), browserHash });
  if (!user || !(await context.hasher.verify(user.passwordHash, password)).ok) return false;
  return (await checkSignInPolicy(context, { userId: user.id, amr: ["pwd"] })).kind === "complete";
}

/**
 * Stores a session of the engine that begins now, like the resumed request of a sign-in. Each authorization request adds
 * its visit.
 */
export async function storeSession(
  { context }: Pick<TestServer, "context">,
  { userId: accountId, generation, amr, acr }: Pick<Subject, "userId" | "generation" | "amr" | "acr">,
): Promise<StoredSession> {
  const provider = await context.oidc.provider();
  const session = new provider.Session();
  const signedInAt = context.clock.now();
  const loginTs = Math.floor(signedInAt.getTime() / 1000);
  session.loginAccount({ accountId, loginTs, amr, acr });
  setGeneration(session, generation);
  Reflect.set(session, "signedInAt", loginTs);
  await session.save(SESSION_IDLE_SECONDS);
  const name = provider.cookieName("session");
  const signature = sign(`${name}=${session.jti}`, context.secrets.cookieKeys[0] ?? "");
  return {
    uid: session.uid,
    signedInAt,
    cookies: [
      { name, value: session.jti },
      { name: `${name}.sig`, value: signature },
    ],
  };
}

/** Signs a cookie like oidc-provider (package keygrip): HMAC-SHA-1 as base64url. */
function sign(cookie: string, key: string): string {
  return createHmac("sha1", key).update(cookie).digest("base64url");
}

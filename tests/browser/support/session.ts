import { findUser } from "#app/db/repositories/users.server.ts";
import type { User } from "#app/db/schema.server.ts";
import { openPageSession } from "#app/domain/access/page-session.server.ts";
import { subjectOf } from "#app/domain/engine-session/subject.server.ts";
import { browserCookie, settingsCookie, usernameCookie } from "#app/http/cookies.server.ts";
import { rememberUsername } from "#app/http/remembered-username.server.ts";
import type { TestServer, TestUser } from "#tests/support/server.ts";
import { storeSession } from "#tests/support/session.ts";
import type { BrowserUser, Installation } from "./installation.ts";

type CookieHolder = { context: Pick<BrowserUser["context"], "addCookies"> };

type Signed = { user: User; sessionUid: string; signedInAt: Date };

/** Signs a user in, in this browser, without the sign-in page: stores a session and sets its cookie. */
export async function seedSession(
  { server }: Pick<Installation, "server">,
  browserUser: CookieHolder,
  { id }: Pick<TestUser, "id">,
  { hasTwoFactors = false }: { hasTwoFactors?: boolean } = {},
): Promise<Signed> {
  const user = await findUser(server.context.store, id);
  if (!user) throw new Error(`There is no user ${id}`);
  const {
    uid: sessionUid,
    signedInAt,
    cookies,
  } = await storeSession(server, subjectOf(user, hasTwoFactors ? ["pwd", "otp", "mfa"] : ["pwd"]));
  await setCookies(server, browserUser, cookies);
  return { user, sessionUid, signedInAt };
}

/** Makes this browser, which has opened a page, remember the user name of an earlier sign-in. */
export async function seedRememberedUsername(
  { server }: Pick<Installation, "server">,
  browserUser: Pick<BrowserUser, "context">,
  { id: userId, username }: Pick<TestUser, "id" | "username">,
): Promise<void> {
  const { context } = server;
  const cookies = await browserUser.context.cookies();
  const browser = cookies.find(({ name }) => name === browserCookie.name(context.config))?.value ?? "";
  const [header] = await rememberUsername({ ...context, browser }, { typed: username, userId });
  const name = usernameCookie().name(context.config);
  const value = usernameCookie().read(context.config, header?.[1]);
  await setCookies(server, browserUser, [{ name, value }]);
}

/**
 * Signs a user in and opens the settings, in this browser, without the pages before them. `isProven`: false for
 * settings that need a proof of identity before a sensitive change. `hasTwoFactors`: the sign-in used two factors.
 */
export async function seedSettings(
  installation: Pick<Installation, "server">,
  browserUser: CookieHolder,
  testUser: Pick<TestUser, "id">,
  { isProven = true, hasTwoFactors = false }: { isProven?: boolean; hasTwoFactors?: boolean } = {},
): Promise<void> {
  const { server } = installation;
  const { config, random } = server.context;
  const { user, sessionUid, signedInAt } = await seedSession(installation, browserUser, testUser, {
    hasTwoFactors,
  });
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
  { context }: CookieHolder,
  cookies: readonly Cookie[],
): Promise<void> {
  const { hostname: domain } = new URL(url);
  return context.addCookies(
    cookies.map((cookie) => ({ ...cookie, domain, path: "/", httpOnly: true, sameSite: "Lax" as const })),
  );
}

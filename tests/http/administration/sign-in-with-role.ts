import { findUser } from "#app/db/repositories/users.server.ts";
import { ACR_MFA } from "#app/domain/engine-session/subject.server.ts";
import { grantRole } from "#app/domain/role/grant.server.ts";
import type { Role } from "#app/domain/role/role.ts";
import { browserCookie } from "#app/http/cookies.server.ts";
import type { Browser } from "#tests/support/browser-jar.ts";
import { giveTotp, type TestApp } from "#tests/support/factors.ts";
import type { TestServer, TestUser } from "#tests/support/server.ts";
import { storeSession } from "#tests/support/session.ts";

/** A user with a role, and a browser in which the user is signed in with two factors and has opened the settings. */
export type TestAdministrator = { user: TestUser; browser: Browser; app: TestApp };

/**
 * Creates a user with a role and an authenticator app, stores a session with two factors, and opens the settings by it.
 * `office`: the group to whose members a help desk is limited. `user`: an existing user who gets the role.
 */
export async function signInWithRole(
  server: TestServer,
  {
    role = "administrator",
    office = null,
    ...input
  }: { role?: Role; office?: { id: string; name: string } | null; user?: TestUser } = {},
): Promise<TestAdministrator> {
  const { context } = server;
  const user = input.user ?? (await server.users.create({ groupName: office?.name ?? null }));
  await context.store.tx((store) => grantRole({ ...context, store }, user, { role, office }));
  const app = await giveTotp(server, user);
  return { user, app, browser: await openWithTwoFactors(server, user) };
}

/** Returns a new browser in which the user is signed in with two factors and has opened the settings. */
export async function openWithTwoFactors(server: TestServer, { id }: Pick<TestUser, "id">): Promise<Browser> {
  const { context } = server;
  const stored = await findUser(context.store, id);
  if (!stored) throw new Error("user not found");
  const subject = { userId: id, generation: stored.generation, amr: ["pwd", "otp", "mfa"], acr: ACR_MFA };
  const { cookies } = await storeSession({ context }, subject);
  const browser = server.browser();
  const engineCookies = cookies.map(({ name, value }) => `${name}=${value}; path=/; samesite=lax; httponly`);
  browser.jar.take(new URL(server.url), [browserCookie.keep(context.config, context.random.token()), ...engineCookies]);
  await browser.follow(await browser.get("/manage/open"));
  return browser;
}

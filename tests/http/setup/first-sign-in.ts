import { followRedirects, typePassword } from "#tests/http/oidc/browser-steps.ts";
import { hasForm } from "#tests/http/oidc/responses.ts";
import { choose, NEW_PASSWORD, openLink } from "#tests/http/password-reset/steps.ts";
import { finish, readStep } from "#tests/http/second-factor/steps.ts";
import type { Browser, HttpResponse } from "#tests/support/browser-jar.ts";
import { testApp } from "#tests/support/factors.ts";

/** The pages between the link of setup and the settings: their titles in order, and the last page. */
export type FirstSignIn = { titles: string[]; last: HttpResponse };

/**
 * Follows the link of setup like its reader: chooses a password, signs in with it, sets up an authenticator app, and
 * goes on to the settings.
 */
export async function signInFirst(
  browser: Browser,
  { link, username, clock }: { link: string; username: string; clock: Parameters<typeof testApp>[0] },
): Promise<FirstSignIn> {
  const first = await openLink(browser, link);
  const signIn = await followRedirects(browser, await choose(browser, first));
  if (!hasForm(signIn, "/login/native")) {
    throw new Error(`No sign-in but ${signIn.url}: ${signIn.body.slice(0, 2_000)}`);
  }
  const setUp = await typePassword(browser, signIn, { username, password: NEW_PASSWORD });
  const step = readStep(browser, setUp);
  const { secret } = Object((await step.call("/mfa/init-totp")).json());
  const code = await testApp(clock, String(secret)).code();
  const codes = await finish(step, await step.call("/mfa/setup-totp", { code }));
  const titles = [first, signIn, setUp, codes].map((page) => page.page().title);
  return { titles, last: codes };
}

import type { Answer, Browser } from "#tests/support/browser-jar.ts";
import { type AuthorizationRequest, type RelyingParty, readTokens, type Tokens } from "#tests/support/relying-party.ts";
import type { TestUser } from "#tests/support/server.ts";

const MAX_STEPS = 20;

/** Opens a URL and follows redirects, up to a page or the redirect to the application. */
export async function open(browser: Browser, url: string): Promise<Answer> {
  return walk(browser, await browser.get(url));
}

/** Follows redirects from a response, up to a page or the redirect to the application. */
export async function walk(browser: Browser, from: Answer): Promise<Answer> {
  let answer = from;
  for (let steps = 0; steps < MAX_STEPS; steps += 1) {
    if (answer.location === null || leaves(answer)) return answer;
    answer = await browser.get(answer.location);
  }
  throw new Error(`Too many redirects, the last one to ${answer.location}`);
}

/** Submits the sign-in form of a page and follows redirects. */
export async function typePassword(
  browser: Browser,
  page: Answer,
  { username, password }: Pick<TestUser, "username" | "password">,
): Promise<Answer> {
  return walk(browser, await browser.submit(page, page.page().form("/login/native"), { username, password }));
}

/** Presses Allow and follows redirects. */
export async function allow(browser: Browser, page: Answer): Promise<Answer> {
  return walk(browser, await browser.submit(page, page.page().form("/consent/accept")));
}

/** Signs in and consents as far as the pages ask for it; returns the last response. */
export async function signIn(browser: Browser, request: AuthorizationRequest, user: TestUser): Promise<Answer> {
  let answer = await open(browser, request.url);
  if (asksFor(answer, "/login/native")) answer = await typePassword(browser, answer, user);
  if (asksFor(answer, "/consent/accept")) answer = await allow(browser, answer);
  return answer;
}

/** Signs in and exchanges the application's code. */
export async function obtainTokens(
  browser: Browser,
  party: RelyingParty,
  request: AuthorizationRequest,
  user: TestUser,
): Promise<Tokens> {
  const code = codeOf(await signIn(browser, request, user));
  return readTokens(await party.exchange(code, request));
}

/** Returns whether the page has a form with this action. */
export function asksFor(answer: Answer, path: string): boolean {
  return (
    answer.location === null &&
    answer
      .page()
      .forms()
      .some(({ action }) => action === path)
  );
}

/** Returns the parameters of the redirect to the application. Throws if there is none. */
export function toldTo(answer: Answer): Record<string, string> {
  if (answer.location === null || !leaves(answer)) {
    throw new Error(`No redirect to the application but ${answer.status}: ${answer.body.slice(0, 2_000)}`);
  }
  const { searchParams, hash } = new URL(answer.location);
  return Object.fromEntries(hash === "" ? searchParams : new URLSearchParams(hash.slice(1)));
}

/** Returns the application's code. Throws if there is none. */
export function codeOf(answer: Answer): string {
  const { code, ...told } = toldTo(answer);
  if (code === undefined) throw new Error(`No code but ${JSON.stringify(told)}`);
  return code;
}

function leaves({ location, url }: Answer) {
  return location !== null && new URL(location).origin !== new URL(url).origin;
}

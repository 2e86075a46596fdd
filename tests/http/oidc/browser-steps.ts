import type { Browser, HttpResponse } from "#tests/support/browser-jar.ts";
import { type AuthorizationRequest, type RelyingParty, readTokens, type Tokens } from "#tests/support/relying-party.ts";
import type { TestServer, TestUser } from "#tests/support/server.ts";
import { seedSession } from "#tests/support/session.ts";
import { codeOf, hasForm, leaves } from "./responses.ts";

const MAX_STEPS = 20;

/** Opens a URL and follows redirects, up to a page or the redirect to the application. */
export async function open(browser: Browser, url: string): Promise<HttpResponse> {
  return followRedirects(browser, await browser.get(url));
}

/** Follows redirects from a response, up to a page or the redirect to the application. */
export async function followRedirects(browser: Browser, from: HttpResponse): Promise<HttpResponse> {
  let response = from;
  for (let steps = 0; steps < MAX_STEPS; steps += 1) {
    if (response.location === null || leaves(response)) return response;
    response = await browser.get(response.location);
  }
  throw new Error(`Too many redirects, the last one to ${response.location}`);
}

/** Submits the sign-in form of a page and follows redirects. */
export async function typePassword(
  browser: Browser,
  page: HttpResponse,
  { username, password }: Pick<TestUser, "username" | "password">,
): Promise<HttpResponse> {
  return followRedirects(
    browser,
    await browser.submit(page, page.page().form("/login/native"), { username, password }),
  );
}

/** Presses Allow and follows redirects. */
export async function allow(browser: Browser, page: HttpResponse): Promise<HttpResponse> {
  return followRedirects(browser, await browser.submit(page, page.page().form("/consent/accept")));
}

/** Signs in with the form and consents as far as the pages ask for it; returns the last response. */
export async function signIn(browser: Browser, request: AuthorizationRequest, user: TestUser): Promise<HttpResponse> {
  let response = await open(browser, request.url);
  if (hasForm(response, "/login/native")) response = await typePassword(browser, response, user);
  if (hasForm(response, "/consent/accept")) response = await allow(browser, response);
  return response;
}

/**
 * `signIn` without the sign-in form: the request finds a session. For tests with another subject than signing in. Uses
 * the form where `seedSession` does not sign in, and for requests that demand more than a session.
 */
export async function seedSignIn(
  server: Pick<TestServer, "context" | "url">,
  browser: Browser,
  request: AuthorizationRequest,
  user: TestUser,
): Promise<HttpResponse> {
  if (acceptsSession(request)) {
    await seedSession(server, browser, user, { clientId: String(request.parameters.client_id) });
  }
  return signIn(browser, request, user);
}

/** Returns false if the request may show the sign-in page or the second step in spite of a session. */
function acceptsSession({ parameters: { prompt = "consent", max_age, acr_values, claims } }: AuthorizationRequest) {
  return prompt === "consent" && [max_age, acr_values, claims].every((value) => value === undefined);
}

/** Signs in with the form and exchanges the application's code. */
export async function obtainTokens(
  browser: Browser,
  party: RelyingParty,
  request: AuthorizationRequest,
  user: TestUser,
): Promise<Tokens> {
  const code = codeOf(await signIn(browser, request, user));
  return readTokens(await party.exchange(code, request));
}

/** `obtainTokens` without the sign-in form, like `seedSignIn`. */
export async function seedTokens(
  server: Pick<TestServer, "context" | "url">,
  browser: Browser,
  party: RelyingParty,
  request: AuthorizationRequest,
  user: TestUser,
): Promise<Tokens> {
  const code = codeOf(await seedSignIn(server, browser, request, user));
  return readTokens(await party.exchange(code, request));
}

import type { Request } from "express";
import { problemPage, registrationHintsPage, registrationPage } from "./pages.ts";
import { type NewAccount, RegistrationError } from "./registration-client.ts";
import type { DemoAppDeps, Exchange } from "./types.ts";

/** Registration hints that the client of the application declares. */
const HINTS = ["email", "name"];

/** Error codes of the provider that the user can correct in the form. */
const CORRECTABLE = ["username not available", "username is empty", "username is invalid", "user is invalid"];

export function showRegistrationHints(_deps: DemoAppDeps, { response, input }: Exchange): void {
  response.send(registrationHintsPage(input));
}

/** Returns the query parameters of the hints form as `reg_hints[…]` parameters of an authorization request. */
export function hintsOf({ query }: Request): Record<string, string> {
  const hints = HINTS.map((key) => [`reg_hints[${key}]`, query[key]]);
  return Object.fromEntries(hints.filter(([, value]) => typeof value === "string"));
}

/** Target of the provider's registration redirect: redeems the single-use token, then redirects to the form. */
export async function startRegistration(deps: DemoAppDeps, { request, response, input }: Exchange): Promise<void> {
  const session = deps.sessions.open(request, response);
  const { registration_token: token } = request.query;
  if (typeof token === "string") {
    session.registration = await deps.registration.redeem(token);
    response.redirect(303, "/join");
    return;
  }
  if (session.registration === null) {
    response.status(400).send(problemPage(input, "stale", null));
    return;
  }
  const { email = "", name: displayName = "" } = session.registration.hints;
  response.send(registrationPage(input, { username: "", displayName, email }, null));
}

/** Creates the account at the provider and redirects to the sign-in that started the registration. */
export async function finishRegistration(deps: DemoAppDeps, { request, response, input }: Exchange): Promise<void> {
  const session = deps.sessions.open(request, response);
  if (session.registration === null) {
    response.status(400).send(problemPage(input, "stale", null));
    return;
  }
  const account = accountOf(request.body);
  try {
    const callbackUrl = await deps.registration.complete(session.registration, account);
    session.registration = null;
    response.redirect(303, callbackUrl);
  } catch (error) {
    if (!(error instanceof RegistrationError) || !CORRECTABLE.includes(error.code)) throw error;
    response.status(400).send(registrationPage(input, account, error.code));
  }
}

function accountOf(body: unknown): NewAccount {
  const fields = new Map(Object.entries(typeof body === "object" && body !== null ? body : {}));
  const text = (name: string) => String(fields.get(name) ?? "");
  return { username: text("username"), displayName: text("name"), email: text("email") };
}

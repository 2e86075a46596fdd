import type { Request, Response } from "express";
import { askPage, joinPage } from "./join-pages.ts";
import { type PageInput, problemPage } from "./pages.ts";
import { type Account, RegistrationError } from "./registration-client.ts";
import type { Desk } from "./routes.ts";

/** Hints that the application is registered with. */
export const HINTS = ["email", "name"] as const;

/** What the provider says of an account that the person can mend. */
const MENDABLE = ["username not available", "username is empty", "username is invalid", "user is invalid"];

type Visit = { request: Request; response: Response; input: PageInput };

export function showAsk(_desk: Desk, { response, input }: Visit): void {
  response.send(askPage(input));
}

/** What a person without an account has typed, as the provider takes it. */
export function hintsOf({ query }: Request): Record<string, string> {
  const said = HINTS.map((key) => [`reg_hints[${key}]`, query[key]]);
  return Object.fromEntries(said.filter(([, value]) => typeof value === "string"));
}

/** The provider sends people here who want an account: first with a token, which is good once, then without it. */
export async function beginJoin(desk: Desk, { request, response, input }: Visit): Promise<void> {
  const session = desk.sessions.open(request, response);
  const { registration_token: token } = request.query;
  if (typeof token === "string") {
    session.joining = await desk.registrar.redeem(token);
    response.redirect(303, "/join");
    return;
  }
  if (session.joining === null) {
    response.status(400).send(problemPage(input, "stale", null));
    return;
  }
  const { email = "", name: displayName = "" } = session.joining.hints;
  response.send(joinPage(input, { username: "", displayName, email }, null));
}

/** Lets the provider make the account, and sends the person on to the sign-in that waits for her. */
export async function finishJoin(desk: Desk, { request, response, input }: Visit): Promise<void> {
  const session = desk.sessions.open(request, response);
  if (session.joining === null) {
    response.status(400).send(problemPage(input, "stale", null));
    return;
  }
  const account = accountOf(request.body);
  try {
    const callbackUrl = await desk.registrar.complete(session.joining, account);
    session.joining = null;
    response.redirect(303, callbackUrl);
  } catch (error) {
    if (!(error instanceof RegistrationError) || !MENDABLE.includes(error.code)) throw error;
    response.status(400).send(joinPage(input, account, error.code));
  }
}

function accountOf(body: unknown): Account {
  const typed = new Map(Object.entries(typeof body === "object" && body !== null ? body : {}));
  const text = (name: string) => String(typed.get(name) ?? "");
  return { username: text("username"), displayName: text("name"), email: text("email") };
}

import type { AppContext } from "#app/context.server.ts";
import type { RequestContext } from "./load-context.server.ts";
import { bindingOf, checkXsrf, issueXsrf } from "./xsrf.server.ts";

type FormDeps = AppContext & RequestContext;

/** Issues the anti-forgery token of a form for this browser and its current session. */
export async function issueFormToken(context: FormDeps): Promise<string> {
  return issueXsrf(context, bindingOf(context, await context.session()));
}

/** Returns true if a form was issued to this browser and its current session. */
export async function isOwnForm(context: FormDeps, token: string): Promise<boolean> {
  return checkXsrf(context, token, [bindingOf(context, await context.session())]);
}

/**
 * Returns true if a sign-in form was issued to this browser, with its current session or without one: a sign-in in one
 * tab must not invalidate the form in another.
 */
export async function isOwnLoginForm(context: FormDeps, token: string): Promise<boolean> {
  return checkXsrf(context, token, [bindingOf(context, await context.session()), bindingOf(context, null)]);
}

import type { AppContext } from "#app/context.server.ts";
import type { RequestContext } from "./load-context.server.ts";
import { bindingOf, checkXsrf } from "./xsrf.server.ts";

type FormDeps = AppContext & RequestContext;

/** Whether a form was made for this browser and the session it has now. */
export async function isOwnForm(context: FormDeps, token: string): Promise<boolean> {
  return checkXsrf(context, token, [bindingOf(context, await context.session())]);
}

/**
 * Whether a sign-in form was made for this browser: for its session, or for the time before it had one. Without the
 * second, signing in in one tab would spoil the form that is open in another.
 */
export async function isOwnLoginForm(context: FormDeps, token: string): Promise<boolean> {
  return checkXsrf(context, token, [bindingOf(context, await context.session()), bindingOf(context, null)]);
}

import { type ActionFunctionArgs, data, type LoaderFunctionArgs } from "@remix-run/node";
import { useActionData } from "@remix-run/react";
import { z } from "zod";
import { requestPasswordReset } from "#app/domain/password-reset/request.server.ts";
import { readForm } from "#app/http/form.server.ts";
import { isOwnLoginForm } from "#app/http/own-form.server.ts";
import { redirect303 } from "#app/http/reply.server.ts";
import { findSignInRequest } from "#app/http/sign-in-request.server.ts";
import { withChallenge } from "#app/ui/sign-in-request.ts";
import { loadRequestForm } from "./password-reset.server.ts";
import { RequestForm } from "./request-form.tsx";

const schema = z.object({
  _xsrf: z.string().default(""),
  username: z.string().default(""),
});

/** Redirects a GET, as after a reload of a refused form or a change of the language, to the form. */
export async function loader({ context, request }: LoaderFunctionArgs) {
  return context.isPosted ? null : redirect303(`/password-reset/request-form${new URL(request.url).search}`);
}

/**
 * Requests a link. The response is the same for every user name, and the work starts after the response has been sent,
 * so that neither content nor duration depends on the user name.
 */
export async function action({ context, request }: ActionFunctionArgs) {
  const form = await readForm(request, schema, ["_xsrf", "username"]);
  const { _xsrf, username } = schema.parse(form.ok ? form.value : form.values);
  const showAgain = async (error: "xsrf" | "empty-username") => {
    const page = await loadRequestForm(context, request, { error, username });
    return data(page, page.status);
  };
  if (!(await isOwnLoginForm(context, _xsrf))) return showAgain("xsrf");
  if (username.trim() === "") return showAgain("empty-username");
  const { address, userAgent, requestId, browser } = context;
  const from = await findSignInRequest(context, request);
  const signIn = from && { uid: from.uid, browser };
  context.afterResponse(async () => {
    await requestPasswordReset(context, { username, signIn, address, userAgent, requestId });
    context.mail.wake();
  });
  return redirect303(withChallenge("/password-reset/request-status?status=success", from?.challenge ?? ""));
}

export default function PasswordResetRequest() {
  const page = useActionData<typeof action>();
  return page && <RequestForm {...page} />;
}

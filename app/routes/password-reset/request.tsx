import { type ActionFunctionArgs, data, type LoaderFunctionArgs } from "@remix-run/node";
import { useActionData } from "@remix-run/react";
import { z } from "zod";
import { requestPasswordReset } from "#app/domain/password-reset/request.server.ts";
import { readForm } from "#app/http/form.server.ts";
import { isOwnLoginForm } from "#app/http/own-form.server.ts";
import { redirect303 } from "#app/http/reply.server.ts";
import { findSignInRequest } from "#app/http/sign-in-request.server.ts";
import { withChallenge } from "#app/ui/sign-in-request.ts";
import { resetRequestView } from "./page-data.server.ts";
import { PasswordResetRequestScreen } from "./request-form-page.tsx";

const schema = z.object({
  _xsrf: z.string().default(""),
  username: z.string().default(""),
});

/** Opened by its address, as after a reload of the form that it showed, or by its link to the other language. */
export async function loader({ context, request }: LoaderFunctionArgs) {
  return context.isPosted ? null : redirect303(`/password-reset/request-form${new URL(request.url).search}`);
}

/** Asks for a link. The answer is the same for every name, and the work begins when it is out. */
export async function action({ context, request }: ActionFunctionArgs) {
  const form = await readForm(request, schema, ["_xsrf", "username"]);
  const { _xsrf, username } = schema.parse(form.ok ? form.value : form.values);
  const again = async (error: "xsrf" | "empty-username") => {
    const view = await resetRequestView(context, request, { error, username });
    return data(view, view.status);
  };
  if (!(await isOwnLoginForm(context, _xsrf))) return again("xsrf");
  if (username.trim() === "") return again("empty-username");
  const { address, userAgent, requestId, browser } = context;
  const from = await findSignInRequest(context, request);
  const signIn = from && { uid: from.uid, browser };
  context.afterAnswer(async () => {
    await requestPasswordReset(context, { username, signIn, address, userAgent, requestId });
    context.mail.wake();
  });
  return redirect303(withChallenge("/password-reset/request-status?status=success", from?.challenge ?? ""));
}

export default function PasswordResetRequest() {
  const view = useActionData<typeof action>();
  return view && <PasswordResetRequestScreen {...view} />;
}

import { type ActionFunctionArgs, data, type LoaderFunctionArgs } from "@remix-run/node";
import { useActionData, useLoaderData } from "@remix-run/react";
import { z } from "zod";
import { acknowledgePasswordReset } from "#app/domain/password-reset/notice.server.ts";
import { findSubjectOfSession } from "#app/domain/sign-in/live-session.server.ts";
import { readForm } from "#app/http/form.server.ts";
import { isOwnForm } from "#app/http/own-form.server.ts";
import { redirect303 } from "#app/http/reply.server.ts";
import { continueAfterNotice } from "#app/oidc/answer-challenge.server.ts";
import { passwordNoticeView, requireNoticeRequest } from "./password-notice-page.server.ts";
import { PasswordNoticeScreen } from "./password-notice-page.tsx";

const schema = z.object({ _xsrf: z.string().default(""), login_challenge: z.string().default("") });

export async function loader({ context, request }: LoaderFunctionArgs) {
  if (context.isPosted) return null;
  const challenge = new URL(request.url).searchParams.get("login_challenge") ?? "";
  const view = await passwordNoticeView(context, request, { challenge });
  return data(view, view.status);
}

/** Records that the user has seen the notice, and goes on with the sign-in. */
export async function action({ context, request }: ActionFunctionArgs) {
  const form = await readForm(request, schema, ["_xsrf", "login_challenge"]);
  const { _xsrf, login_challenge: challenge } = schema.parse(form.ok ? form.value : form.values);
  const { uid, client } = await requireNoticeRequest(context, challenge);
  if (!(await isOwnForm(context, _xsrf))) {
    const view = await passwordNoticeView(context, request, { challenge, error: "xsrf" });
    return data(view, view.status);
  }
  const { address, userAgent, requestId } = context;
  const session = await context.session();
  const subject = await findSubjectOfSession(context, session);
  const facts = { address, userAgent, requestId, clientId: client.id };
  if (subject) await acknowledgePasswordReset(context, subject, facts);
  return redirect303(await continueAfterNotice(context, uid, session));
}

export default function PasswordNotice() {
  const shown = useLoaderData<typeof loader>();
  const view = useActionData<typeof action>() ?? shown;
  return view && <PasswordNoticeScreen {...view} />;
}

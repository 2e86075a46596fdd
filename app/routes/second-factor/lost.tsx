import { type ActionFunctionArgs, data, type LoaderFunctionArgs } from "@remix-run/node";
import { useActionData, useLoaderData } from "@remix-run/react";
import { z } from "zod";
import { requestFactorReset } from "#app/domain/factor-reset/lost.server.ts";
import { requestMetadata } from "#app/http/factor-response.server.ts";
import { readForm } from "#app/http/form.server.ts";
import { isOwnLoginForm } from "#app/http/own-form.server.ts";
import { redirect303 } from "#app/http/reply.server.ts";
import { lostStatusUrl, lostStatusView, lostView } from "./lost-page.server.ts";
import { FactorLostScreen } from "./lost-page.tsx";
import { FactorLostStatusScreen } from "./lost-status-page.tsx";
import { requireOpenRequest } from "./verify-page.server.ts";

const schema = z.object({
  _xsrf: z.string().default(""),
  login_challenge: z.string().default(""),
  mfa_token: z.string().default(""),
});

export async function loader({ context, request }: LoaderFunctionArgs) {
  if (context.isPosted) return null;
  const query = new URL(request.url).searchParams;
  if (query.has("status")) {
    const view = await lostStatusView(context, request);
    return data(view, view.status);
  }
  const view = await lostView(context, request, { challenge: query.get("login_challenge") ?? "" });
  return data(view, view.status);
}

/** Asks for a link that removes all second factors, in the middle of a sign-in. */
export async function action({ context, request }: ActionFunctionArgs) {
  const form = await readForm(request, schema, ["_xsrf", "login_challenge", "mfa_token"]);
  const posted = schema.parse(form.ok ? form.value : form.values);
  const { login_challenge: challenge, mfa_token: mfaToken } = posted;
  const again = async () => {
    const view = await lostView(context, request, { challenge, error: "xsrf" });
    return data(view, view.status);
  };

  await requireOpenRequest(context, challenge);
  if (!(await isOwnLoginForm(context, posted._xsrf))) return again();
  const outcome = await requestFactorReset(context, { ...requestMetadata(context), mfaToken });
  if (outcome.kind === "unauthorized") return again();
  if (outcome.kind !== "asked") return redirect303(lostStatusUrl(outcome.kind, challenge));
  context.mail.wake();
  return redirect303(lostStatusUrl("success", challenge));
}

export default function MfaLost() {
  const shown = useLoaderData<typeof loader>();
  const view = useActionData<typeof action>() ?? shown;
  if (!view) return null;
  return "status" in view.state ? <FactorLostStatusScreen {...view} /> : <FactorLostScreen {...view} />;
}

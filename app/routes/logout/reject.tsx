import { type ActionFunctionArgs, data, type LoaderFunctionArgs } from "@remix-run/node";
import { useActionData, useLoaderData } from "@remix-run/react";
import { z } from "zod";
import { readForm } from "#app/http/form.server.ts";
import { isOwnForm } from "#app/http/own-form.server.ts";
import { redirect303 } from "#app/http/reply.server.ts";
import { findLogoutRequest, rejectLogout } from "#app/oidc/logout.server.ts";
import { logoutView } from "./logout-page.server.ts";
import { LogoutScreen } from "./logout-page.tsx";

const schema = z.object({ _xsrf: z.string().default(""), logout_challenge: z.string().default("") });

/** Shows that the session goes on; with a challenge that still waits, its question. */
export async function loader({ context, request }: LoaderFunctionArgs) {
  if (context.isPosted) return null;
  const challenge = new URL(request.url).searchParams.get("logout_challenge") ?? "";
  const session = await context.session();
  const isRejected = challenge === "" && session?.accountId;
  const view = await logoutView(context, request, { challenge, ...(isRejected ? { status: "rejected" } : {}) });
  return data(view, view.status);
}

export async function action({ context, request }: ActionFunctionArgs) {
  const form = await readForm(request, schema, ["_xsrf", "logout_challenge"]);
  const { _xsrf, logout_challenge: challenge } = form.ok ? form.value : schema.parse({});
  const pending = await findLogoutRequest(context, context.exchange, challenge);
  if (pending && (await isOwnForm(context, _xsrf))) {
    await rejectLogout(context, context.exchange);
    return redirect303("/logout/reject");
  }
  const view = await logoutView(context, request, { challenge, error: pending ? "xsrf" : "challenge" });
  return data(view, view.status);
}

export default function LogoutReject() {
  const shown = useLoaderData<typeof loader>();
  const view = useActionData<typeof action>() ?? shown;
  return view && <LogoutScreen {...view} />;
}

import { type ActionFunctionArgs, data, type LoaderFunctionArgs } from "@remix-run/node";
import { useActionData, useLoaderData } from "@remix-run/react";
import { z } from "zod";
import { findWaitingReset, stopFactorReset } from "#app/domain/factor-reset/stop.server.ts";
import { readForm } from "#app/http/form.server.ts";
import { factorResetStopCookie, isLinkToken } from "#app/http/link-cookie.server.ts";
import { isOwnLoginForm } from "#app/http/own-form.server.ts";
import { redirect303 } from "#app/http/reply.server.ts";
import { stopStatusUrl, stopStatusView, stopView } from "./page-data.server.ts";
import { FactorResetStopScreen } from "./stop-page.tsx";
import { FactorResetStopStatusScreen } from "./stop-status-page.tsx";

const schema = z.object({
  _xsrf: z.string().default(""),
  stop_token: z.string().default(""),
});

/** Looks, and stops nothing; with a status, says how it went. */
export async function loader({ context, request }: LoaderFunctionArgs) {
  if (context.isPosted) return null;
  const { config } = context;
  const query = new URL(request.url).searchParams;
  const token = query.get("stop_token");
  if (token !== null) {
    const isGood = isLinkToken(token) && (await findWaitingReset(context, token)) !== null;
    if (!isGood) return redirect303(stopStatusUrl("error-token"));
    return redirect303("/mfa-reset/stop", { "Set-Cookie": factorResetStopCookie.keep(config, token) });
  }
  if (query.has("status")) {
    const view = await stopStatusView(context, request);
    return data(view, view.status);
  }
  const view = await stopView(context, request, { stopToken: factorResetStopCookie.read(config, request) });
  return data(view, view.status);
}

/** Stops the reset that waits: its link is dead then. */
export async function action({ context, request }: ActionFunctionArgs) {
  const form = await readForm(request, schema, ["_xsrf", "stop_token"]);
  const { _xsrf, stop_token: stopToken } = schema.parse(form.ok ? form.value : form.values);
  if (!(await isOwnLoginForm(context, _xsrf))) {
    const view = await stopView(context, request, { stopToken, error: "xsrf" });
    return data(view, view.status);
  }
  const { address, userAgent, requestId } = context;
  const outcome = await stopFactorReset(context, { stopToken, address, userAgent, requestId });
  if (outcome.kind !== "stopped") return redirect303(stopStatusUrl(outcome.kind));
  return redirect303(stopStatusUrl("success"), { "Set-Cookie": factorResetStopCookie.forget(context.config) });
}

export default function FactorResetStop() {
  const shown = useLoaderData<typeof loader>();
  const view = useActionData<typeof action>() ?? shown;
  if (!view) return null;
  return "status" in view.state ? <FactorResetStopStatusScreen {...view} /> : <FactorResetStopScreen {...view} />;
}

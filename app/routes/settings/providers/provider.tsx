import { type ActionFunctionArgs, data, type HeadersArgs, type LoaderFunctionArgs } from "@remix-run/node";
import { useActionData, useLoaderData } from "@remix-run/react";
import { z } from "zod";
import { beginConnect } from "#app/domain/external-account/connect.server.ts";
import { disconnectProvider } from "#app/domain/external-account/disconnect.server.ts";
import type { Provider } from "#app/domain/external-account/providers.ts";
import { requireProvider } from "#app/http/external-sign-in.server.ts";
import { readForm } from "#app/http/form.server.ts";
import type { LoadContext } from "#app/http/load-context.server.ts";
import { redirect303 } from "#app/http/reply.server.ts";
import {
  confirmUrl,
  isOwnSettingsForm,
  requireFreshSettings,
  type Settings,
  UNAUTHORIZED_URL,
} from "#app/http/settings-session.server.ts";
import { providerView } from "./provider-page.server.ts";
import { ProviderScreen } from "./provider-page.tsx";

const schema = z.object({
  _xsrf: z.string().default(""),
  intent: z.enum(["connect", "disconnect"]).default("connect"),
  confirm: z.string().default(""),
});

export async function loader({ context, request, params }: LoaderFunctionArgs) {
  const provider = requireProvider(context, params["provider"]);
  if (context.isPosted) return null;
  const settings = await requireFreshSettings(context, request);
  const view = await providerView(context, request, settings, { provider });
  return data(view, view.status);
}

/** Leaves for the provider, or disconnects the account there after a question. */
export async function action({ context, request, params }: ActionFunctionArgs) {
  const provider = requireProvider(context, params["provider"]);
  const settings = await requireFreshSettings(context, request);
  const form = await readForm(request, schema, ["_xsrf", "intent", "confirm"]);
  const isOwn = form.ok && isOwnSettingsForm(context, settings.access, form.value._xsrf);
  if (!isOwn) return show(context, request, settings, { provider, error: "xsrf" });
  if (form.value.intent === "connect") return leave(context, request, settings, provider);
  if (form.value.confirm !== "1") return show(context, request, settings, { provider });
  const outcome = await disconnectProvider(context, settings.access, factsOf(context), provider);
  switch (outcome.kind) {
    case "done":
    case "account not connected":
      return redirect303("/manage?status=oauth-disconnect-success");
    case "last sign-in method":
      return show(context, request, settings, { provider, error: outcome.kind });
    case "reauthentication_required":
      return redirect303(confirmUrl(`/manage/oauth/${provider}`));
    case "unauthorized":
      return redirect303(UNAUTHORIZED_URL);
  }
}

/**
 * A page that goes on by itself: a redirect would be held against the form's CSP, and nobody knows over which addresses a
 * provider leads.
 */
async function leave(context: LoadContext, request: Request, settings: Settings, provider: Provider) {
  const begun = await beginConnect(context, settings.access, factsOf(context), { provider, returnTo: null });
  switch (begun.kind) {
    case "away": {
      const view = await providerView(context, request, settings, { provider, away: begun.url });
      return data(view, { status: view.status, headers: { Refresh: `0; url=${begun.url}` } });
    }
    case "reauthentication_required":
      return redirect303(confirmUrl(`/manage/oauth/${provider}`));
    default:
      return redirect303("/manage?oauth-error=provider+failed");
  }
}

type Shown = { provider: Provider; error?: "xsrf" | "last sign-in method" };

async function show(context: LoadContext, request: Request, settings: Settings, shown: Shown) {
  const view = await providerView(context, request, settings, shown);
  return data(view, { status: view.status, headers: {} });
}

function factsOf({ browser, address, userAgent, requestId }: LoadContext) {
  return { browser, address, userAgent, requestId };
}

/** Where the page goes on by itself. */
export function headers({ actionHeaders }: HeadersArgs) {
  return actionHeaders;
}

export default function OauthProvider() {
  const shown = useLoaderData<typeof loader>();
  const view = useActionData<typeof action>() ?? shown;
  return view && <ProviderScreen {...view} />;
}

import { type ActionFunctionArgs, data, type LoaderFunctionArgs } from "@remix-run/node";
import { useActionData, useLoaderData } from "@remix-run/react";
import { z } from "zod";
import { confirmSettings } from "#app/domain/settings/confirmation.server.ts";
import { openPageSession } from "#app/domain/settings/page-session.server.ts";
import { readForm } from "#app/http/form.server.ts";
import { isOwnForm } from "#app/http/own-form.server.ts";
import { redirect303 } from "#app/http/reply.server.ts";
import { settingsConfirmCookie, settingsCookie } from "#app/http/settings-cookie.server.ts";
import { UNAUTHORIZED_URL } from "#app/http/settings-session.server.ts";
import { useDocumentState } from "#app/routes/settings/page.tsx";
import { openingView } from "./opening-page.server.ts";
import { OpeningScreen } from "./opening-page.tsx";

const schema = z.object({ _xsrf: z.string().default("") });

/** Names the account, and uses nothing up. */
export async function loader({ context, request }: LoaderFunctionArgs) {
  if (context.isPosted) return null;
  const view = await openingView(context, request);
  return data(view, view.status);
}

/** Opens the settings that wait in this browser. */
export async function action({ context, request }: ActionFunctionArgs) {
  const { config, browser, address, userAgent, requestId } = context;
  const form = await readForm(request, schema, ["_xsrf"]);
  if (!form.ok || !(await isOwnForm(context, form.value._xsrf))) {
    const view = await openingView(context, request, { error: "xsrf" });
    return data(view, view.status);
  }
  const cookies = request.headers.get("cookie");
  const confirmed = await confirmSettings(context, { token: settingsConfirmCookie.read(config, cookies), browser });
  if (!confirmed) return redirect303(UNAUTHORIZED_URL);
  const facts = { browser, address, userAgent, requestId };
  const replaced = settingsCookie.read(config, cookies);
  const opened = await openPageSession(context, confirmed.grant, { ...facts, replaced });
  const headers = new Headers({ "Set-Cookie": settingsCookie.keep(config, opened) });
  headers.append("Set-Cookie", settingsConfirmCookie.forget(config));
  return redirect303(confirmed.to, headers);
}

export default function Opening() {
  const shown = useLoaderData<typeof loader>();
  const view = useDocumentState(useActionData<typeof action>() ?? shown);
  return view && <OpeningScreen {...view} />;
}

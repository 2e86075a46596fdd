import type { LoaderFunctionArgs } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { isFresh } from "#app/domain/settings/access.ts";
import { settingsPath } from "#app/domain/settings/settings-path.ts";
import { settingsTexts } from "#app/http/page-data.server.ts";
import { redirect303 } from "#app/http/reply.server.ts";
import { requireSettings } from "#app/http/settings-session.server.ts";
import { useDocumentState } from "#app/routes/settings/page.tsx";
import { settingsState } from "#app/routes/settings/page-data.server.ts";
import { ConfirmScreen, confirmTitle } from "./confirm-page.tsx";

/** Asks for a proof of identity, unless there is one that is not old. */
export async function loader({ context, request }: LoaderFunctionArgs) {
  const settings = await requireSettings(context, request);
  const to = settingsPath(new URL(request.url).searchParams.get("to"));
  if (isFresh(settings.access, context.clock.now())) return redirect303(to);
  const { t } = await settingsTexts(context, request);
  const openUrl = `/manage/open?${new URLSearchParams({ to })}`;
  return { title: confirmTitle(t), state: await settingsState(context, settings), openUrl };
}

export default function Confirm() {
  return <ConfirmScreen {...useDocumentState(useLoaderData<typeof loader>())} />;
}

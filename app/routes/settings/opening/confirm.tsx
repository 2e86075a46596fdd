import type { LoaderFunctionArgs } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { useTranslation } from "react-i18next";
import { isFresh } from "#app/domain/settings/access.ts";
import { settingsPath } from "#app/domain/settings/settings-path.ts";
import { settingsTexts } from "#app/http/page-data.server.ts";
import { redirect303 } from "#app/http/reply.server.ts";
import { requireSettings } from "#app/http/settings-session.server.ts";
import { SettingsPage } from "#app/routes/settings/page.tsx";
import { settingsState } from "#app/routes/settings/page-data.server.ts";
import { ButtonLink } from "#app/ui/button-link.tsx";
import { useDocumentState } from "#app/ui/document-context.tsx";
import { LineLink } from "#app/ui/line-link.tsx";
import { pageTitle } from "#app/ui/title.ts";

/** Redirects to the page `to` when the last proof of identity is recent enough. */
export async function loader({ context, request }: LoaderFunctionArgs) {
  const settings = await requireSettings(context, request);
  const to = settingsPath(new URL(request.url).searchParams.get("to"));
  if (isFresh(settings.access, context.clock.now())) return redirect303(to);
  const { t } = await settingsTexts(context, request);
  return {
    title: pageTitle(t, t("manageConfirm.title")),
    state: await settingsState(context, settings),
    openUrl: `/manage/open?${new URLSearchParams({ to })}`,
  };
}

/** The page at /manage/confirm: asks the user to sign in again before a change. */
export default function Confirm() {
  const { t } = useTranslation();
  const { openUrl } = useDocumentState(useLoaderData<typeof loader>());
  return (
    <SettingsPage title={t("manageConfirm.heading")} lead={t("manageConfirm.description")} tone="attention">
      <div className="actions">
        <ButtonLink href={openUrl}>{t("manageConfirm.submit")}</ButtonLink>
        <LineLink to="/manage">{t("manageError.back")}</LineLink>
      </div>
    </SettingsPage>
  );
}

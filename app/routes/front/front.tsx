import { data, type LoaderFunctionArgs } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { useTranslation } from "react-i18next";
import { findSubjectOfSession } from "#app/domain/sign-in-policy/live-session.server.ts";
import { textsOf } from "#app/http/page-data.server.ts";
import { refusal } from "#app/http/refusal.server.ts";
import { redirect303 } from "#app/http/reply.server.ts";
import { AppOrSettings } from "#app/ui/app-or-settings.tsx";
import { Page } from "#app/ui/page.tsx";
import { pageTitle } from "#app/ui/title.ts";

/** Redirects a signed-in user to the settings. */
export async function loader({ context, request }: LoaderFunctionArgs) {
  if (await findSubjectOfSession(context, await context.session())) return redirect303("/manage/open");
  const t = await textsOf(context, request);
  return data({ title: pageTitle(t, t("front.heading")), state: {}, appUrl: context.config.appUrl });
}

/** No form posts to this URL. */
export function action() {
  throw refusal(404, "page_not_found");
}

export default function Front() {
  const { t } = useTranslation();
  const { appUrl } = useLoaderData<typeof loader>();
  return (
    <Page title={t("front.heading")} lead={t("front.description")}>
      <AppOrSettings appUrl={appUrl} />
    </Page>
  );
}

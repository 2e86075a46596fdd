import { data, type LoaderFunctionArgs } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import type { TFunction } from "i18next";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { readStatus, textsOf } from "#app/http/page-data.server.ts";
import { AppOrSettings } from "#app/ui/app-or-settings.tsx";
import { ButtonLink } from "#app/ui/button-link.tsx";
import { CookieNote } from "#app/ui/cookie-note.tsx";
import { Page } from "#app/ui/page.tsx";
import type { StatusState } from "#app/ui/page-state.ts";
import { pageTitle } from "#app/ui/title.ts";
import { requireHelpPages } from "./help.server.ts";

/** `done`: the change that was made, with the status `success`. */
type Done = "new-device" | "new-password";

export async function loader({ context, request }: LoaderFunctionArgs) {
  requireHelpPages(context);
  const { state, status } = readStatus(request);
  const isDevice = new URL(request.url).searchParams.get("done") === "new-device";
  const done: Done = isDevice ? "new-device" : "new-password";
  const t = await textsOf(context, request);
  const isSuccess = state.status === "success";
  const title = pageTitle(t, headingOf(t, { state, done }), !isSuccess);
  return data({ status, title, state, done, appUrl: context.config.appUrl }, status);
}

export default function HelpStatus() {
  return <StatusPage {...useLoaderData<typeof loader>()} />;
}

/** Shows that the help was used, or, with any other status than `success`, that it cannot be used. */
export function StatusPage({ state, done, appUrl }: { state: StatusState; done: Done; appUrl: string }): ReactNode {
  const { t } = useTranslation();
  const title = headingOf(t, { state, done });
  if (state.status !== "success") {
    return (
      <Page title={title} lead={t("help.invalid.lead")} code="error-token" tone="error">
        <CookieNote />
        <ButtonLink href="/help">{t("help.again")}</ButtonLink>
      </Page>
    );
  }
  const next = done === "new-device" ? t("help.done.newDeviceNext") : t("help.done.newPasswordNext");
  return (
    <Page title={title} lead={next}>
      <AppOrSettings appUrl={appUrl} />
    </Page>
  );
}

function headingOf(t: TFunction, { state, done }: { state: StatusState; done: Done }): string {
  if (state.status !== "success") return t("help.invalid.title");
  return done === "new-device" ? t("help.done.newDevice") : t("help.done.newPassword");
}

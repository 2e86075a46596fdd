import type { TFunction } from "i18next";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { ButtonLink } from "./button-link.tsx";
import { Page } from "./page.tsx";
import type { ServerErrorState } from "./page-state.ts";
import { serverErrorTexts } from "./server-error-texts.ts";
import { SupportDetails } from "./support-details.tsx";
import { pageTitle } from "./title.ts";

type ServerErrorPageProps = {
  state: ServerErrorState;
  appUrl: string;
  /** URL of the failed page, or of the page with the failed form, if loading it again may help. */
  retryUrl?: string | null;
  /** Minutes until the next attempt, rounded up; used for 429. */
  waitMinutes?: number | undefined;
  /** True if the 403 was caused by a foreign `Origin`, not by an expired form. */
  isForeignOrigin?: boolean;
};

/** An error page: what happened, one next step, and the details that support needs. */
export function ServerErrorPage({
  state,
  appUrl,
  retryUrl = null,
  waitMinutes = 1,
  isForeignOrigin = false,
}: ServerErrorPageProps): ReactNode {
  const { t } = useTranslation();
  const { code, reference } = state.server_error;
  const texts = serverErrorTexts(code, isForeignOrigin);
  return (
    <Page title={t(texts.title)} lead={t(texts.description, { count: waitMinutes })} tone="error">
      {retryUrl && texts.isTemporary ? (
        <ButtonLink href={retryUrl}>{t("common.retry")}</ButtonLink>
      ) : (
        <ButtonLink href={appUrl}>{t("common.toApp")}</ButtonLink>
      )}
      {reference === null ? null : <SupportDetails code={code} reference={reference} />}
    </Page>
  );
}

export function serverErrorTitle(t: TFunction, state: ServerErrorState, isForeignOrigin = false): string {
  return pageTitle(t, t(serverErrorTexts(state.server_error.code, isForeignOrigin).title), true);
}

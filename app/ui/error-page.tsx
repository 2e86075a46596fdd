import type { TFunction } from "i18next";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { ButtonLink } from "./button-link.tsx";
import { Facts } from "./facts.tsx";
import { Page } from "./page.tsx";
import type { ServerErrorState } from "./page-state.ts";
import { serverErrorTexts } from "./server-error-texts.ts";
import { pageTitle } from "./title.ts";

export type ServerErrorScreenProps = {
  state: ServerErrorState;
  appUrl: string;
  /** The refused page itself, where asking for it again may help: only for pages that were asked for by GET. */
  retryUrl?: string | null;
  /** How long to wait, rounded up; read for 429. */
  waitMinutes?: number | undefined;
  /** Set when a 403 is about where the form came from, not about its age. */
  isForeignOrigin?: boolean;
};

/** An error page: what happened, one way on, and what support can be told. */
export function ServerErrorScreen({
  state,
  appUrl,
  retryUrl = null,
  waitMinutes = 1,
  isForeignOrigin = false,
}: ServerErrorScreenProps): ReactNode {
  const { t } = useTranslation();
  const { code, reference } = state.server_error;
  const texts = serverErrorTexts(code, isForeignOrigin);
  return (
    <Page title={t(texts.title)} lead={t(texts.description, { count: waitMinutes })} tone="error">
      {retryUrl && texts.mayPass ? (
        <ButtonLink href={retryUrl}>{t("common.retry")}</ButtonLink>
      ) : (
        <ButtonLink href={appUrl}>{t("common.toApp")}</ButtonLink>
      )}
      <Facts code={code} reference={reference}>
        {code === 500 ? <p>{t("common.contactSupport")}</p> : null}
      </Facts>
    </Page>
  );
}

export function serverErrorTitle(t: TFunction, state: ServerErrorState, isForeignOrigin = false): string {
  return pageTitle(t, t(serverErrorTexts(state.server_error.code, isForeignOrigin).title), true);
}

import type { TFunction } from "i18next";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { ButtonLink } from "#app/ui/button-link.tsx";
import { ErrorSummary } from "#app/ui/error-summary.tsx";
import { Page } from "#app/ui/page.tsx";
import type { OpeningState } from "#app/ui/page-state.ts";
import { Submit } from "#app/ui/submit.tsx";
import { pageTitle } from "#app/ui/title.ts";
import { XsrfInput } from "#app/ui/xsrf-input.tsx";

export type OpeningScreenProps = {
  state: OpeningState;
  appUrl: string;
};

/** The page at /manage/opening: names the account whose settings a link is about, before they open. */
export function OpeningScreen({ state, appUrl }: OpeningScreenProps): ReactNode {
  const { t } = useTranslation();
  const { error, display_name: name } = state;
  return (
    <Page
      title={t("manageOpening.heading", { name })}
      lead={t("manageOpening.description")}
      before={error ? <ErrorSummary code={error} problems={[{ text: t("common.formExpired") }]} /> : null}
      tone={error ? "error" : "attention"}
    >
      <form className="actions" method="post" action="/manage/opening">
        <XsrfInput token={state.xsrf_token} />
        <Submit>{t("manageOpening.submit")}</Submit>
        <ButtonLink href={appUrl} quiet>
          {t("manageOpening.cancel")}
        </ButtonLink>
      </form>
    </Page>
  );
}

export function openingTitle(t: TFunction, { error }: OpeningState): string {
  return pageTitle(t, t("manageOpening.title"), error !== undefined);
}

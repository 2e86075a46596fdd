import type { TFunction } from "i18next";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { ButtonLink } from "#app/ui/button-link.tsx";
import { Facts } from "#app/ui/facts.tsx";
import { Page } from "#app/ui/page.tsx";
import type { SettingsErrorState } from "#app/ui/page-state.ts";
import { pageTitle } from "#app/ui/title.ts";

export type SettingsErrorScreenProps = {
  state: SettingsErrorState;
  /** The code is one of ours. Anybody can write an address: any other code is a quotation. */
  isKnown: boolean;
  appUrl: string;
  /** The id that is in the log. */
  reference: string;
};

/** The page at /manage/error/{code}: what happened, one way on, and what support can be told. */
export function SettingsErrorScreen({ state, isKnown, appUrl, reference }: SettingsErrorScreenProps): ReactNode {
  const { t } = useTranslation();
  const { error } = state;
  const isOut = error === "unauthorized";
  return (
    <Page title={errorText(t, error)} lead={isOut ? t("manageErrorHelp.unauthorized") : null} tone="error">
      <div className="actions">
        {/* Leads through the sign-in: a document of its own. */}
        <ButtonLink href={isOut ? "/manage/open" : "/manage"}>
          {isOut ? t("manageError.open") : t("manageError.back")}
        </ButtonLink>
        {isOut ? (
          <ButtonLink href={appUrl} quiet>
            {t("common.toApp")}
          </ButtonLink>
        ) : null}
      </div>
      {isKnown || error === "" ? null : (
        <section className="flow flow-close" aria-labelledby="details">
          <h2 id="details">{t("common.unverifiedDetails")}</h2>
          <blockquote className="unverified">
            <q>{error}</q>
          </blockquote>
        </section>
      )}
      <Facts code={isKnown ? error : null} reference={reference} />
    </Page>
  );
}

export function settingsErrorTitle(t: TFunction): string {
  return pageTitle(t, t("manageError.title"), false);
}

function errorText(t: TFunction, code: string): string {
  switch (code) {
    case "unauthorized":
      return t("manageError.unauthorized");
    case "page_not_found":
      return t("manageError.page_not_found");
    case "totp already registered":
      return t("manageError.totp_already_registered");
    case "totp not found":
      return t("manageError.totp_not_found");
    default:
      return t("manageError.generic");
  }
}

import type { TFunction } from "i18next";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Alert } from "#app/components/alert.tsx";
import { ButtonLink } from "#app/components/button-link.tsx";
import { Page } from "#app/components/page.tsx";
import type { StatusState } from "./page-state.ts";
import { pageTitle } from "./title.ts";

type RequestStatusScreenProps = {
  /** `success`; any other status is a technical error. */
  state: StatusState;
  /** How long a link is good. */
  minutes: number;
};

const REQUEST_FORM = "/password-reset/request-form";

/** The page at /password-reset/request-status. It says the same whether there is such a user or not. */
export function PasswordResetRequestStatusScreen({ state, minutes }: RequestStatusScreenProps): ReactNode {
  const { t } = useTranslation();
  if (state.status !== "success") {
    return (
      <Page title={t("passwordReset.requestStatus.error.heading")} tone="error">
        <Alert kind="error" code="error" word={t("passwordReset.requestStatus.error.quote")}>
          <p>{t("passwordReset.requestStatus.error.description")}</p>
        </Alert>
        <ButtonLink href={REQUEST_FORM}>{t("common.retry")}</ButtonLink>
      </Page>
    );
  }
  return (
    <Page
      title={t("passwordReset.requestStatus.success.heading")}
      lead={t("passwordReset.requestStatus.success.description", { minutes })}
    >
      <section className="flow flow-close" aria-labelledby="reasons">
        <h2 id="reasons">{t("passwordReset.requestStatus.success.reasonsHeading")}</h2>
        <ul className="listed">
          <li>{t("passwordReset.requestStatus.success.reasonUsername")}</li>
          <li>{t("passwordReset.requestStatus.success.reasonSpam")}</li>
          <li>{t("passwordReset.requestStatus.success.reasonBlocked")}</li>
          <li>{t("passwordReset.requestStatus.success.reasonMailBlocked")}</li>
        </ul>
      </section>
      <ButtonLink href={REQUEST_FORM} quiet>
        {t("passwordReset.requestStatus.success.again")}
      </ButtonLink>
    </Page>
  );
}

export function passwordResetRequestStatusTitle(t: TFunction, { status }: StatusState): string {
  return status === "success"
    ? pageTitle(t, t("passwordReset.requestStatus.success.title"))
    : pageTitle(t, t("passwordReset.requestStatus.error.title"), true);
}

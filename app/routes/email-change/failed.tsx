import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { ButtonLink } from "#app/ui/button-link.tsx";
import { CookieNote } from "#app/ui/cookie-note.tsx";
import { LinkNotOpened } from "#app/ui/link-not-opened.tsx";
import { Page } from "#app/ui/page.tsx";
import { Reference } from "#app/ui/support-details.tsx";
import type { EmailStatusProps } from "./email-change.server.ts";
import { EMAIL_TEXTS, type EmailPage } from "./texts.ts";

/** The page for a link that did not change anything. */
export function EmailNotChanged({ state, appUrl, page }: EmailStatusProps & { page: EmailPage }): ReactNode {
  const { t } = useTranslation();
  const action = <ButtonLink href={appUrl}>{t("common.toApp")}</ButtonLink>;
  if (state.status === "no-link") return <LinkNotOpened>{action}</LinkNotOpened>;
  if (page === "confirm" && state.status === "taken") {
    return (
      <Page
        title={t("emailChange.confirm.taken.heading")}
        lead={t("emailChange.confirm.taken.description")}
        code="taken"
        tone="error"
      >
        {action}
        <Reference />
      </Page>
    );
  }
  const isInvalid = state.status === "error-token";
  return (
    <Page
      title={isInvalid ? t(EMAIL_TEXTS[page].invalid) : t("emailChange.technical.heading")}
      lead={isInvalid ? t(EMAIL_TEXTS[page].invalidDescription) : t("emailChange.technical.description")}
      code={isInvalid ? "error-token" : "error"}
      tone="error"
    >
      {isInvalid ? <CookieNote /> : null}
      {action}
      <Reference />
    </Page>
  );
}

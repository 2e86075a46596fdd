import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { ErrorSummary } from "#app/ui/error-summary.tsx";
import { SettingsPage } from "./page.tsx";
import { StatusBanner } from "./status-banner.tsx";

type OwnListPageProps = {
  /** What was reported, and what was wrong with the form. */
  state: { status?: string | undefined; error?: "xsrf" | undefined };
  title: string;
  lead: string;
  children: ReactNode;
};

/** A page of the settings with a list of what its person can end. */
export function OwnListPage({ state: { status, error }, title, lead, children }: OwnListPageProps): ReactNode {
  const { t } = useTranslation();
  return (
    <SettingsPage
      title={title}
      lead={lead}
      back={{ to: "/manage", text: t("manageError.back") }}
      before={
        <>
          {error ? <ErrorSummary code={error} problems={[{ text: t("common.formExpired") }]} /> : null}
          {status === undefined ? null : <StatusBanner key={status} status={status} />}
        </>
      }
      tone={error ? "error" : "normal"}
    >
      {children}
    </SettingsPage>
  );
}

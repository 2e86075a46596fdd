import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { SettingsPage } from "#app/routes/settings/page.tsx";
import { ButtonLink } from "#app/ui/button-link.tsx";
import { ErrorSummary, type Problem } from "#app/ui/error-summary.tsx";
import { Submit } from "#app/ui/submit.tsx";

type ProfileFrameProps = {
  title: string;
  lead: ReactNode;
  /** Code of the first error. */
  error: string | undefined;
  problems: readonly Problem[];
  children: ReactNode;
};

/** Frame of a page that changes a part of the profile. */
export function ProfileFrame({ title, lead, error, problems, children }: ProfileFrameProps): ReactNode {
  return (
    <SettingsPage
      title={title}
      lead={lead}
      parent="/manage"
      before={error ? <ErrorSummary code={error} problems={problems} /> : null}
      tone={error ? "error" : "normal"}
    >
      {children}
    </SettingsPage>
  );
}

/** The buttons below the fields. By default, the first one saves. */
export function SaveActions({ children, busy }: { children?: string; busy?: string }): ReactNode {
  const { t } = useTranslation();
  return (
    <div className="actions">
      <Submit busy={busy ?? t("managePassword.saving")}>{children ?? t("manageProfile.save")}</Submit>
      <ButtonLink href="/manage" quiet>
        {t("manageProfile.abort")}
      </ButtonLink>
    </div>
  );
}

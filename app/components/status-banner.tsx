import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Alert } from "./alert.tsx";

/** What a change in the settings is reported as, in the query parameter `status`; any other value shows nothing. */
const SUCCESSES = {
  "password-success": "manage.banner.password-success",
  "username-success": "manage.banner.username-success",
  "oauth-disconnect-success": "manage.banner.oauth-disconnect-success",
  "oauth-connect-success": "manage.banner.oauth-connect-success",
  "mfa-success": "manage.banner.mfa-success",
} as const;

/** Reports a change that was just made. */
export function StatusBanner({ status }: { status: string }): ReactNode {
  const { t } = useTranslation();
  if (!isSuccess(status)) return null;
  return (
    <Alert kind="ok" code={status} word={t("common.successTitle")}>
      <p>{t(SUCCESSES[status])}</p>
    </Alert>
  );
}

function isSuccess(status: string): status is keyof typeof SUCCESSES {
  return Object.hasOwn(SUCCESSES, status);
}

import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Submit } from "#app/ui/submit.tsx";
import { XsrfInput } from "#app/ui/xsrf-input.tsx";

/** The button that withdraws the open help of a person. */
export function WithdrawForm({ personId, xsrf }: { personId: string; xsrf: string }): ReactNode {
  const { t } = useTranslation();
  return (
    <form method="post" action={`/manage/admin/people/${personId}/help/withdraw`}>
      <XsrfInput token={xsrf} />
      <Submit quiet>{t("adminHelp.withdraw")}</Submit>
    </form>
  );
}

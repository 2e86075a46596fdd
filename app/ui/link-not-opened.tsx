import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { CookieNote } from "./cookie-note.tsx";
import { Page } from "./page.tsx";
import { Reference } from "./support-details.tsx";

type LinkNotOpenedProps = {
  /** The sentence below the heading; by default, a user who has submitted the form has nothing left to do. */
  description?: string;
  /** The actions of the page. */
  children: ReactNode;
};

/** The page for the address of a mailed link's form, opened in a browser that has not opened the link (`no-link`). */
export function LinkNotOpened({ description, children }: LinkNotOpenedProps): ReactNode {
  const { t } = useTranslation();
  return (
    <Page
      title={t("passwordReset.status.noLink.heading")}
      lead={description ?? t("passwordReset.status.noLink.otherForm")}
      code="no-link"
      tone="error"
    >
      <CookieNote />
      {children}
      <Reference />
    </Page>
  );
}

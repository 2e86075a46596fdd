import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { useDocumentContext } from "./document-context.tsx";

/**
 * Names missing cookies as the reason of an error; nothing if the browser sent our cookie. Only for pages that follow a
 * redirect or form of ours, which sets the cookie.
 */
export function CookieNote(): ReactNode {
  const { t } = useTranslation();
  const { lacksCookie } = useDocumentContext();
  return lacksCookie ? <p className="note">{t("common.cookiesMissing")}</p> : null;
}

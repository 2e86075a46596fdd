import type { TFunction } from "i18next";

/** Returns the document title, "Page | Product". With `hasError`, "Error:" precedes a page that does not name one. */
export function pageTitle(t: TFunction, page: string, hasError = false): string {
  const prefix = t("common.errorTitlePrefix");
  const namesError = page.toLowerCase().includes(prefix.replace(":", "").toLowerCase());
  return t("common.titleSeparator", { page: hasError && !namesError ? `${prefix} ${page}` : page });
}

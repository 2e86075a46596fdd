import type { TFunction } from "i18next";

/** Returns the document title, "Page | Product", with the error prefix if `hasError`. */
export function pageTitle(t: TFunction, page: string, hasError = false): string {
  return t("common.titleSeparator", { page: hasError ? `${t("common.errorTitlePrefix")} ${page}` : page });
}

import type { TFunction } from "i18next";

/** The document's title, "Page | Product"; a page that reports an error says so first. */
export function pageTitle(t: TFunction, page: string, hasError = false): string {
  return t("common.titleSeparator", { page: hasError ? `${t("common.errorTitlePrefix")} ${page}` : page });
}

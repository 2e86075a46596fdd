import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";

type NumberedPagesProps = {
  /** The shown page, from 1. */
  page: number;
  pages: number;
  urlOf: (page: number) => string;
  /** The rows that the page shows, such as "1 to 50 of 214". */
  summary: string;
};

/** Links to the pages of a list: the first, the last, and those beside the shown one. Nothing for a single page. */
export function NumberedPages({ page, pages, urlOf, summary }: NumberedPagesProps): ReactNode {
  const { t } = useTranslation();
  if (pages <= 1) return null;
  const all = Array.from({ length: pages }, (_, index) => index + 1);
  const shown = all.filter((number) => number === 1 || number === pages || Math.abs(number - page) <= 2);
  return (
    <nav className="pages" aria-label={t("adminGroups.pages")}>
      <p className="small">{summary}</p>
      <ul>
        {shown.map((number, index) => (
          <li key={number}>
            {index > 0 && number - (shown[index - 1] ?? 0) > 1 ? <span aria-hidden="true">…</span> : null}
            <a
              href={urlOf(number)}
              aria-current={number === page ? "page" : undefined}
              aria-label={t("adminGroups.page", { number })}
            >
              {number}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

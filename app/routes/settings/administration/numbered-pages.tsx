import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { LineIcon } from "#app/ui/line-icon.tsx";

type NumberedPagesProps = {
  /** The shown page, from 1. */
  page: number;
  pages: number;
  urlOf: (page: number) => string;
  /** The rows that the page shows, such as "1 to 50 of 214". */
  summary: string;
};

/**
 * Links to the pages of a list: the previous one, the first, the last, those beside the shown one, and the next one.
 * Nothing for a single page.
 */
export function NumberedPages({ page, pages, urlOf, summary }: NumberedPagesProps): ReactNode {
  const { t } = useTranslation();
  if (pages <= 1) return null;
  return (
    <nav className="pages" aria-label={t("adminPages.name")}>
      <p className="note">{summary}</p>
      <ul>
        {page === 1 ? null : (
          <li>
            <a href={urlOf(page - 1)} rel="prev" aria-label={t("adminPages.previous")}>
              <LineIcon path="M16 10H4m5-5-5 5 5 5" />
            </a>
          </li>
        )}
        {pageNumbers(page, pages).map((number, place) =>
          number === null ? (
            // biome-ignore lint/suspicious/noArrayIndexKey: the gaps never change their order.
            <li key={`gap-${place}`}>
              <span aria-hidden="true">…</span>
            </li>
          ) : (
            <li key={number}>
              <a href={urlOf(number)} aria-current={number === page ? "page" : undefined}>
                <span className="visually-hidden">{t("adminPages.page")} </span>
                {number}
              </a>
            </li>
          ),
        )}
        {page === pages ? null : (
          <li>
            <a href={urlOf(page + 1)} rel="next" aria-label={t("adminPages.next")}>
              <LineIcon path="M4 10h12m-5-5 5 5-5 5" />
            </a>
          </li>
        )}
      </ul>
    </nav>
  );
}

/** Returns the linked pages: the first, the last, and those beside the current one; null is a gap. */
function pageNumbers(page: number, pages: number): (number | null)[] {
  const near = [1, page - 1, page, page + 1, pages].filter((number) => number >= 1 && number <= pages);
  const numbers = [...new Set(near)].toSorted((one, other) => one - other);
  return numbers.flatMap((number, place) => {
    const before = numbers[place - 1] ?? 0;
    if (number - before === 2) return [number - 1, number];
    return number - before > 2 ? [null, number] : [number];
  });
}

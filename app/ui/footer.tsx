import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { CurrentPage } from "./language-link.tsx";
import { LanguageLinks } from "./language-link.tsx";

/** URLs of the legal pages; only the imprint is required. */
export type LegalLinks = {
  imprint: string;
  privacy: string | null;
  terms: string | null;
  sfdr: string | null;
};

/** Legal links and links to the other languages; `currentPage` is null for a page that GET cannot load. */
export function Footer({ links, currentPage }: { links: LegalLinks; currentPage: CurrentPage | null }): ReactNode {
  const { t } = useTranslation();
  const pages = [
    { href: links.imprint, text: t("footer.imprint") },
    { href: links.privacy, text: t("footer.privacy") },
    { href: links.terms, text: t("footer.terms") },
    { href: links.sfdr, text: t("footer.sfdr") },
  ];
  return (
    <footer className="footer">
      <nav aria-label={t("footer.label")}>
        <ul>
          {pages.map(({ href, text }) =>
            href === null ? null : (
              <li key={text}>
                <a href={href}>{text}</a>
              </li>
            ),
          )}
        </ul>
      </nav>
      {currentPage ? <LanguageLinks currentPage={currentPage} /> : null}
    </footer>
  );
}

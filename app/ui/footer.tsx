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
  return (
    <footer className="footer">
      <nav aria-label={t("footer.label")}>
        <ul>
          <li>
            <a href={links.imprint}>{t("footer.imprint")}</a>
          </li>
          {links.privacy ? (
            <li>
              <a href={links.privacy}>{t("footer.privacy")}</a>
            </li>
          ) : null}
          {links.terms ? (
            <li>
              <a href={links.terms}>{t("footer.terms")}</a>
            </li>
          ) : null}
          {links.sfdr ? (
            <li>
              <a href={links.sfdr}>{t("footer.sfdr")}</a>
            </li>
          ) : null}
        </ul>
      </nav>
      {currentPage ? <LanguageLinks currentPage={currentPage} /> : null}
    </footer>
  );
}

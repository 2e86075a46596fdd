import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { LANGUAGES } from "#app/i18n/language.ts";

/** The current page: path, query (with or without `?`) and state. */
export type CurrentPage = {
  pathname: string;
  search: string;
  state: object;
  /** The typed user name, if there is one. */
  username?: string | null;
};

/** Links to the same page in the other languages. The `lng` parameter makes the choice persist. */
export function LanguageLinks({ currentPage }: { currentPage: CurrentPage }): ReactNode {
  const { t, i18n } = useTranslation();
  const links = LANGUAGES.filter((language) => language !== i18n.resolvedLanguage).map((language) => (
    <a key={language} href={languageHref(currentPage, language)} lang={language} hrefLang={language}>
      {t("common.languageName", { lng: language })}
    </a>
  ));
  if (links.length < 2) return links;
  return (
    <nav aria-label={t("footer.languages")}>
      <ul>
        {links.map((link) => (
          <li key={link.key}>{link}</li>
        ))}
      </ul>
    </nav>
  );
}

/** State keys that hold a challenge, with their query parameters. */
const CHALLENGES = new Map([
  ["login_challenge", "login_challenge"],
  ["loginChallenge", "login_challenge"],
  ["consent_challenge", "consent_challenge"],
  ["logout_challenge", "logout_challenge"],
]);

/** Returns the URL of this page in another language. A response to a POST has the challenge in its state only. */
export function languageHref({ pathname, search, state, username }: CurrentPage, language: string): string {
  const query = new URLSearchParams(search);
  for (const [name, value] of Object.entries(state)) {
    const challenge = CHALLENGES.get(name);
    if (challenge && typeof value === "string" && value !== "") query.set(challenge, value);
  }
  if (username) query.set("username", username);
  query.set("lng", language);
  return `${pathname}?${query}`;
}

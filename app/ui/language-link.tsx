import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";

/** The current page: path, query (with or without `?`) and state. */
export type CurrentPage = {
  pathname: string;
  search: string;
  state: object;
  /** The typed user name, if there is one. */
  username?: string | null;
};

/** A link to the same page in the other language. The `lng` parameter makes the choice persist. */
export function LanguageLink({ currentPage }: { currentPage: CurrentPage }): ReactNode {
  const { t, i18n } = useTranslation();
  const other = i18n.resolvedLanguage === "de" ? "en" : "de";
  return (
    <a href={languageHref(currentPage, other)} lang={other} hrefLang={other}>
      {other === "de" ? t("common.languageDe") : t("common.languageEn")}
    </a>
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

import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";

/** The page being shown: its path, its query (with or without `?`), and its state. */
export type Here = {
  pathname: string;
  search: string;
  state: object;
  /** The user name that was typed, where there is one. */
  username?: string | null;
};

/** A link to the same page in the other language; it works without script, and its target remembers the choice. */
export function LanguageLink({ here }: { here: Here }): ReactNode {
  const { t, i18n } = useTranslation();
  const other = i18n.resolvedLanguage === "de" ? "en" : "de";
  return (
    <a href={languageHref(here, other)} lang={other} hrefLang={other}>
      {other === "de" ? t("common.languageDe") : t("common.languageEn")}
    </a>
  );
}

/** Where states keep a challenge, and its name in an address. */
const CHALLENGES = new Map([
  ["login_challenge", "login_challenge"],
  ["loginChallenge", "login_challenge"],
  ["consent_challenge", "consent_challenge"],
  ["logout_challenge", "logout_challenge"],
]);

/**
 * The address of this page in another language. The query is kept; a page that answers a form has no query, so its
 * challenge comes from its state.
 */
export function languageHref({ pathname, search, state, username }: Here, language: string): string {
  const query = new URLSearchParams(search);
  for (const [name, value] of Object.entries(state)) {
    const challenge = CHALLENGES.get(name);
    if (challenge && typeof value === "string" && value !== "") query.set(challenge, value);
  }
  if (username) query.set("username", username);
  query.set("lng", language);
  return `${pathname}?${query}`;
}

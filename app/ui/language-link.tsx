import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { LANGUAGES } from "#app/i18n/language.ts";

/** A form whose user name a change of the language keeps: its id, and the path that shows its page again. */
export type LanguageForm = { id: string; path: string };

/** The current page: path, query (with or without `?`), state, and form. */
export type CurrentPage = {
  pathname: string;
  search: string;
  state: object;
  form?: LanguageForm | null;
};

/** Links to the same page in the other languages. The `lng` parameter makes the choice persist. */
export function LanguageLinks({ currentPage }: { currentPage: CurrentPage }): ReactNode {
  const { t, i18n } = useTranslation();
  const { form } = currentPage;
  const links = LANGUAGES.filter((language) => language !== i18n.resolvedLanguage).map((language) => {
    const href = languageHref(currentPage, language);
    const name = t("common.languageName", { lng: language });
    return form ? (
      <LanguageButton key={language} form={form} href={href} language={language} name={name} />
    ) : (
      <a key={language} href={href} lang={language} hrefLang={language}>
        {name}
      </a>
    );
  });
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

type LanguageButtonProps = { form: LanguageForm; href: string; language: string; name: string };

/**
 * A button that posts the page's form, so that the typed user name is kept without being in a URL. Browsers that do not
 * support its `form` attribute, such as text browsers, submit the form around it, which loads the page without the name.
 */
function LanguageButton({ form, href, language, name }: LanguageButtonProps): ReactNode {
  const [path, query] = href.split("?");
  return (
    <form method="get" action={path}>
      {[...new URLSearchParams(query)].map(([parameter, value]) => (
        <input key={parameter} type="hidden" name={parameter} value={value} />
      ))}
      <button type="submit" form={form.id} formAction={href} formMethod="post" formNoValidate lang={language}>
        {name}
      </button>
    </form>
  );
}

/** State keys that hold a challenge, with their query parameters. */
const CHALLENGES = new Map([
  ["login_challenge", "login_challenge"],
  ["loginChallenge", "login_challenge"],
  ["consent_challenge", "consent_challenge"],
  ["logout_challenge", "logout_challenge"],
]);

/**
 * Returns the URL of this page in another language. A response to a POST has the challenge in its state only. With a
 * form, the user name is in its body, not in the URL.
 */
export function languageHref({ pathname, search, state, form }: CurrentPage, language: string): string {
  const query = new URLSearchParams(search);
  for (const [name, value] of Object.entries(state)) {
    const challenge = CHALLENGES.get(name);
    if (challenge && typeof value === "string" && value !== "") query.set(challenge, value);
  }
  if (form) query.delete("username");
  query.set("lng", language);
  return `${form?.path ?? pathname}?${query}`;
}

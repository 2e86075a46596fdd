import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { initials } from "#app/ui/account-row.tsx";
import { Brand } from "#app/ui/brand.tsx";
import { XsrfInput } from "#app/ui/xsrf-input.tsx";

type SettingsHeaderProps = {
  /** Whose settings these are. */
  name: string;
  /** URL of the user's picture, which the page's Content-Security-Policy allows; null for initials. */
  picture: string | null;
  /** The way back to the application that opened the settings, where it is known. */
  returnToUrl: string | null;
  /** The name of that application; null where it is not registered any more. */
  clientName: string | null;
  /** The application for users who came without a way back. */
  appUrl: string;
  /** The anti-forgery token of the settings. */
  xsrf: string;
};

/** Stands above every page of the settings: the product, the way back, whose settings these are, and the sign-out. */
export function SettingsHeader({
  name,
  picture,
  returnToUrl,
  clientName,
  appUrl,
  xsrf,
}: SettingsHeaderProps): ReactNode {
  const { t } = useTranslation();
  return (
    <header className="settings-header">
      <div>
        <Brand />
        <a className="back line-link" href={returnToUrl ?? appUrl}>
          <BackArrow />
          <span>
            {returnToUrl ? t("manage.backTo", { name: clientName ?? new URL(returnToUrl).host }) : t("common.toApp")}
          </span>
        </a>
        <p className="who">
          <span className="visually-hidden">{t("manage.signedInAs", { name })}</span>
          <span aria-hidden="true">{name}</span>
          <span className="initials" aria-hidden="true">
            {initials(name)}
            {/* Covers the initials once it is loaded. */}
            {picture ? <img src={picture} alt="" referrerPolicy="no-referrer" /> : null}
          </span>
        </p>
        {/* Leaves the settings for the pages of the sign-out: a document of its own. */}
        <form className="sign-out" method="post" action="/manage/sign-out">
          <XsrfInput token={xsrf} />
          <button className="button quiet" type="submit">
            {t("manage.signOut")}
          </button>
        </form>
      </div>
    </header>
  );
}

/** An arrow to the left, for links that lead back. */
export function BackArrow(): ReactNode {
  return (
    <svg
      viewBox="0 0 20 20"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.75"
      strokeLinecap="round"
      aria-hidden="true"
    >
      <path d="M16 10H4m5-5-5 5 5 5" strokeLinejoin="round" />
    </svg>
  );
}

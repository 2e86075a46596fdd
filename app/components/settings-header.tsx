import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { initials } from "./account-row.tsx";
import { Brand } from "./brand.tsx";

type SettingsHeaderProps = {
  /** Whose settings these are. */
  name: string;
  /** The way back to the application, where it is known. */
  returnToUrl: string | null;
};

/** Stands above every page of the settings: the product, the way back, and whose settings these are. */
export function SettingsHeader({ name, returnToUrl }: SettingsHeaderProps): ReactNode {
  const { t } = useTranslation();
  return (
    <header className="settings-header">
      <div>
        <Brand />
        {returnToUrl ? (
          <a className="back line-link" href={returnToUrl}>
            <BackArrow />
            {t("manage.backToHost", { host: new URL(returnToUrl).host })}
          </a>
        ) : null}
        <p className="who">
          <span className="visually-hidden">{t("manage.signedInAs", { name })}</span>
          <span aria-hidden="true">{name}</span>
          <span className="initials" aria-hidden="true">
            {initials(name)}
          </span>
        </p>
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

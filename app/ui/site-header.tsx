import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { initials } from "./account-row.tsx";
import { Brand } from "./brand.tsx";
import { XsrfInput } from "./xsrf-input.tsx";

type SiteHeaderProps = {
  /** Display name of the user. */
  name: string;
  /** URL of the user's picture, which the page's Content-Security-Policy allows; null for initials. */
  picture: string | null;
  /** A link back to the application, with the class `back`. */
  back?: ReactNode;
  /** The form that starts the sign-out. A POST needs the anti-forgery token of the page. */
  signOut: { method: "get"; action: string } | { method: "post"; action: string; xsrf: string };
};

/** The header of pages for signed-in users: product, name of the user, sign-out. */
export function SiteHeader({ name, picture, back, signOut }: SiteHeaderProps): ReactNode {
  const { t } = useTranslation();
  return (
    <header className="site-header">
      <div>
        <Brand />
        {back}
        <p className="who">
          <span className="visually-hidden">{t("manage.signedInAs", { name })}</span>
          <span className="who-name" translate="no" aria-hidden="true">
            {name}
          </span>
          <span className="initials" aria-hidden="true">
            {initials(name)}
            {/* The picture covers the initials when it has loaded. */}
            {picture ? <img src={picture} alt="" referrerPolicy="no-referrer" /> : null}
          </span>
        </p>
        {/* A plain form: the logout pages are outside the settings area and need a document load. */}
        <form className="sign-out" method={signOut.method} action={signOut.action}>
          {signOut.method === "post" ? <XsrfInput token={signOut.xsrf} /> : null}
          <button className="button quiet" type="submit">
            {t("manage.signOut")}
          </button>
        </form>
      </div>
    </header>
  );
}

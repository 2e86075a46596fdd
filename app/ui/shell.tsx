import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";

type ShellProps = {
  /** The page's state, as the contract names it; stands as JSON on the root element. */
  state: object;
  area: "login" | "manage";
  footer: ReactNode;
  children: ReactNode;
};

/** What every page stands in: skip link, root element with the page's state, footer. */
export function Shell({ state, area, footer, children }: ShellProps): ReactNode {
  const { t } = useTranslation();
  return (
    <>
      <a className="skip" href="#main">
        {t("common.skipToContent")}
      </a>
      <div className={area === "manage" ? "settings" : "counter"} id="root" data-state={JSON.stringify(state)}>
        {children}
        {footer}
      </div>
    </>
  );
}

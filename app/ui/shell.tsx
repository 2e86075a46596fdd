import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { Layout } from "./document-context.tsx";

type ShellProps = {
  /** The page's state (page-state.ts), serialised into `data-state` of the root element. */
  state: object;
  layout: Layout;
  footer: ReactNode;
  children: ReactNode;
};

/** Wraps every page: skip link, root element with the page's state, footer. */
export function Shell({ state, layout, footer, children }: ShellProps): ReactNode {
  const { t } = useTranslation();
  return (
    <>
      <a className="skip" href="#main">
        {t("common.skipToContent")}
      </a>
      <div className={layout} id="root" data-state={JSON.stringify(state)}>
        {children}
        {footer}
      </div>
    </>
  );
}

import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Notice } from "./notice.tsx";

/**
 * Explains why a security key needs JavaScript, and the alternatives. Not a `<noscript>`, because the script may also
 * fail to load. `<security-key>` hides it.
 */
export function NeedsScript({ children }: { children?: ReactNode }): ReactNode {
  const { t } = useTranslation();
  return (
    <WithoutScript>
      <Notice kind="info">
        <p>{t("common.noScriptHint")}</p>
      </Notice>
      {children}
    </WithoutScript>
  );
}

/** Content for browsers that cannot use a security key; `<security-key>` hides it. */
export function WithoutScript({ children }: { children: ReactNode }): ReactNode {
  return <div className="no-script flow flow-close">{children}</div>;
}

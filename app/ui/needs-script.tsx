import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { NO_SCRIPT } from "#app/client/attributes.ts";
import { Notice } from "./notice.tsx";

/**
 * Explains why a security key needs JavaScript, and the alternatives. Not a `<noscript>`, because the script may also
 * fail to load. The client script hides it.
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

/** Content for browsers that cannot use a security key; the client script hides it. */
export function WithoutScript({ children }: { children: ReactNode }): ReactNode {
  return (
    <div className="no-script flow flow-close" {...{ [NO_SCRIPT]: "" }}>
      {children}
    </div>
  );
}

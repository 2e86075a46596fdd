import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { NO_SCRIPT } from "#app/client/attributes.ts";
import { Notice } from "./notice.tsx";

/**
 * Says why a security key needs a script, and what to do without one. It is part of the page and no `<noscript>`: the
 * script may be allowed and not come. A script that works takes it away.
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

/** A part of the page for browsers that reach no key; a script that works takes it away. */
export function WithoutScript({ children }: { children: ReactNode }): ReactNode {
  return (
    <div className="no-script flow flow-close" {...{ [NO_SCRIPT]: "" }}>
      {children}
    </div>
  );
}

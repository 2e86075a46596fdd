import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import {
  LABEL_HIDE,
  LABEL_SHOW,
  PASSWORD_TOGGLE,
  STATUS_HIDDEN,
  STATUS_SHOWN,
  TEXT_HIDE,
  TEXT_SHOW,
} from "#app/client/attributes.ts";

/** Toggles the visibility of the password in `field`. Hidden until the client script reveals it. */
export function ShowPassword({ field, show, hide }: { field: string; show: string; hide: string }): ReactNode {
  const { t } = useTranslation();
  const texts = {
    [PASSWORD_TOGGLE]: "",
    [LABEL_SHOW]: show,
    [LABEL_HIDE]: hide,
    [TEXT_SHOW]: t("common.show"),
    [TEXT_HIDE]: t("common.hide"),
    [STATUS_SHOWN]: t("field.password.shownStatus"),
    [STATUS_HIDDEN]: t("field.password.hiddenStatus"),
  };
  return (
    <button className="show" type="button" hidden aria-controls={field} aria-label={show} {...texts}>
      {t("common.show")}
    </button>
  );
}

import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";

type CopyButtonProps = {
  text: string;
  /** Id of the element that shows the text; the script selects it when the browser refuses to copy. */
  shownIn: string;
  /** Announced after copying. */
  done: string;
  children: string;
};

/** A button that copies a text, which the client script adds. */
export function CopyButton({ text, shownIn, done, children }: CopyButtonProps): ReactNode {
  const { t } = useTranslation();
  return (
    <copy-text label={children} text={text} shown-in={shownIn} done={done} failed={t("common.copyFailed")}>
      <p className="visually-hidden" aria-live="polite" />
    </copy-text>
  );
}

import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";

type CopyButtonProps = {
  id: string;
  text: string;
  /** Id of the element that shows the text; the script selects it when the browser refuses to copy. */
  shownIn: string;
  /** Announced after copying. */
  done: string;
  children: ReactNode;
};

/** Copies a text. Hidden until the client script reveals it. */
export function CopyButton({ id, text, shownIn, done, children }: CopyButtonProps): ReactNode {
  const { t } = useTranslation();
  return (
    <copy-text text={text} done={done} failed={t("common.copyFailed")}>
      <button className="button quiet" id={id} type="button" hidden aria-controls={shownIn}>
        {children}
      </button>
      <p className="visually-hidden" aria-live="polite" />
    </copy-text>
  );
}

import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { COPY, COPY_DONE, COPY_FAILED, copyStatusId } from "#app/client/attributes.ts";

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
  const texts = { [COPY]: text, [COPY_DONE]: done, [COPY_FAILED]: t("common.copyFailed") };
  return (
    <>
      <button className="button quiet" id={id} type="button" hidden aria-controls={shownIn} {...texts}>
        {children}
      </button>
      <p className="visually-hidden" id={copyStatusId(id)} aria-live="polite" />
    </>
  );
}

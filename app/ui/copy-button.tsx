import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { COPY, COPY_DONE, COPY_FAILED, copyStatusId } from "#app/client/attributes.ts";

type CopyButtonProps = {
  id: string;
  /** What is copied. */
  text: string;
  /** Id of the element that shows it: selected for people to copy it themselves, should the browser refuse. */
  shownIn: string;
  /** What is said when it is done. */
  done: string;
  children: ReactNode;
};

/** Copies a text. Hidden until the script reveals it; the text can be selected without it. */
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

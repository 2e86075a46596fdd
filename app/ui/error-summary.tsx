import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";

/** One thing that is wrong: the same text as at its field, and the field's id where one can mend it there. */
export type Problem = { text: string; field?: string | undefined };

type ErrorSummaryProps = {
  code: string;
  /** A sentence that stands before the list, for refusals that have one. */
  quote?: string | undefined;
  problems: readonly Problem[];
  /** False where the field in error takes the focus itself: a code is simply entered again. */
  takesFocus?: boolean;
};

/** Stands above the h1 of a form that was refused, and takes the focus, so that it is read first. */
export function ErrorSummary({ code, quote, problems, takesFocus = true }: ErrorSummaryProps): ReactNode {
  const { t } = useTranslation();
  const focus = takesFocus ? { tabIndex: -1, autoFocus: true } : {};
  return (
    <div className="alert" data-kind="error" data-code={code} role="alert" {...focus}>
      <h2 className="word">{t("common.errorSummaryTitle")}</h2>
      {quote ? <p>{quote}</p> : null}
      <ul>
        {problems.map(({ text, field }) => (
          <li key={text}>{field ? <a href={`#${field}`}>{text}</a> : text}</li>
        ))}
      </ul>
    </div>
  );
}

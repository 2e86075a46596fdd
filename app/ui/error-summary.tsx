import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";

/** An error: the text shown at the field, and the id of the field if there is one. */
export type Problem = { text: string; field?: string | undefined };

type ErrorSummaryProps = {
  code: string;
  /** Describes what happened; the field then shows only the next step. Precedes the text of a problem without a field. */
  quote?: string | undefined;
  problems: readonly Problem[];
  /** False if the invalid field takes the focus itself. */
  takesFocus?: boolean;
};

/**
 * Lists the errors above the h1 of a refused form, one sentence each. Takes the focus, so that screen readers read it
 * first, unless a field does: then its description is the next step, and each text is read once.
 */
export function ErrorSummary({ code, quote, problems, takesFocus = true }: ErrorSummaryProps): ReactNode {
  const { t } = useTranslation();
  const focus = takesFocus ? { tabIndex: -1, autoFocus: true } : {};
  return (
    <div className="alert" data-kind="error" data-code={code} role="alert" {...focus}>
      <h2 className="word">{t("common.errorSummaryTitle")}</h2>
      {quote && problems.every(({ field }) => !field) ? <p>{quote}</p> : null}
      <ul>
        {problems.map(({ text, field }) => (
          <li key={text}>{field ? <a href={`#${field}`}>{quote ?? text}</a> : text}</li>
        ))}
      </ul>
    </div>
  );
}

/** The summary of a form without fields, whose only error is that it has expired; nothing without an error. */
export function ExpiredFormSummary({ code }: { code: string | undefined }): ReactNode {
  const { t } = useTranslation();
  return code ? <ErrorSummary code={code} problems={[{ text: t("common.formExpired") }]} /> : null;
}

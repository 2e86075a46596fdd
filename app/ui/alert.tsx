import type { ReactNode } from "react";

type AlertKind = "info" | "ok" | "attention" | "error";

type AlertProps = {
  kind: AlertKind;
  /** Error or status code in `data-code`; not visible, for tests and support. */
  code?: string;
  /** Heading of the alert. */
  word: string;
  children?: ReactNode;
};

/** A message about something that has just happened: heading, explanation, next step. */
export function Alert({ kind, code, word, children }: AlertProps): ReactNode {
  return (
    <div className="alert" data-kind={kind} data-code={code} role={kind === "error" ? "alert" : "status"}>
      <p className="word">{word}</p>
      {children}
    </div>
  );
}

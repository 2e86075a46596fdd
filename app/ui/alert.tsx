import type { ReactNode } from "react";

export type AlertKind = "info" | "ok" | "attention" | "error";

type AlertProps = {
  kind: AlertKind;
  /** The machine's name of what happened; never shown, read by tests and support. */
  code?: string;
  /** The first words; the tab above them is as wide as they are. */
  word: string;
  children?: ReactNode;
};

/** A message on the sheet: first a word, then what it means and what to do next. */
export function Alert({ kind, code, word, children }: AlertProps): ReactNode {
  return (
    <div className="alert" data-kind={kind} data-code={code} role={kind === "error" ? "alert" : "status"}>
      <p className="word">{word}</p>
      {children}
    </div>
  );
}

import type { ReactNode } from "react";

type LedgerProps = {
  /** Id of the heading, which names the section. */
  id: string;
  heading: string;
  lead?: string;
  children: ReactNode;
};

/** A section of a settings page: a heading and a list of rows. */
export function Ledger({ id, heading, lead, children }: LedgerProps): ReactNode {
  return (
    <section aria-labelledby={id}>
      <div className="ledger-head">
        <h2 id={id}>{heading}</h2>
        {lead ? <p className="note">{lead}</p> : null}
      </div>
      <dl className="ledger">{children}</dl>
    </section>
  );
}

type LedgerRowProps = {
  label: ReactNode;
  value: ReactNode;
  /** A link, or a form with one button. */
  action?: ReactNode;
};

/** A row of a section: label, value and at most one action. */
export function LedgerRow({ label, value, action }: LedgerRowProps): ReactNode {
  return (
    <div className="ledger-row">
      <dt>{label}</dt>
      <dd>{value}</dd>
      {action ? <dd className="act">{action}</dd> : null}
    </div>
  );
}

/** Value of a row for something that is set up: a check mark and the text. */
export function CheckState({ children }: { children: ReactNode }): ReactNode {
  return (
    <span className="check-state">
      <svg viewBox="0 0 20 20" aria-hidden="true">
        <circle cx="10" cy="10" r="9" fill="currentColor" />
        <path d="m6 10.5 2.7 2.7L14 7.5" fill="none" stroke="var(--card)" strokeWidth="2" strokeLinecap="round" />
      </svg>
      {children}
    </span>
  );
}

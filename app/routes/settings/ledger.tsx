import type { ReactNode } from "react";

type LedgerProps = {
  /** Id of the heading, which names the section. */
  id: string;
  heading: string;
  lead?: string;
  children: ReactNode;
};

/** A section of the settings: a heading, and below its rule one row for each thing. */
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
  /** The one thing to do: a link that moves on, or a form with a button. */
  action?: ReactNode;
};

/** What it is, how it stands, and the one thing to do about it; every row of every section on the same edges. */
export function LedgerRow({ label, value, action }: LedgerRowProps): ReactNode {
  return (
    <div className="ledger-row">
      <dt>{label}</dt>
      <dd>{value}</dd>
      {action ? <dd className="act">{action}</dd> : null}
    </div>
  );
}

import { Link } from "@remix-run/react";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";

type SectionProps = {
  /** Id of the heading, which names the section. */
  id: string;
  heading: string;
  /** Number beside the heading, as a Tag. */
  tag?: ReactNode;
  lead?: string | undefined;
  /** A link, or a form with one button, that concerns the whole section. */
  action?: ReactNode;
  /** Lower rows, for many facts. */
  isSnug?: boolean;
  /** Rows. */
  children: ReactNode;
};

/** A section of a settings page: a heading and a list of rows. The columns of all sections of a page are aligned. */
export function Section({ id, heading, tag, lead, action, isSnug = false, children }: SectionProps): ReactNode {
  return (
    <section className={isSnug ? "snug" : undefined} aria-labelledby={id}>
      <div className="section-head">
        <div className="title">
          <h2 id={id}>{heading}</h2>
          {tag}
        </div>
        {lead ? <p className="note">{lead}</p> : null}
        {action ? <div className="act">{action}</div> : null}
      </div>
      <ul className="rows">{children}</ul>
    </section>
  );
}

type RowProps = {
  /** Its words are not hyphenated: see the style sheet. */
  label: ReactNode;
  value?: ReactNode;
  /** A link, or a form with one button. */
  action?: ReactNode;
  /** Marks the row; its value begins with a word that says why. */
  isWarning?: boolean;
};

/** A row of a section: label, value and at most one action. */
export function Row({ label, value, action, isWarning = false }: RowProps): ReactNode {
  return (
    <li className="row" data-kind={isWarning ? "warn" : undefined}>
      <h3 className="label">{label}</h3>
      {value ? <div className="value">{value}</div> : null}
      {action ? <div className="act">{action}</div> : null}
    </li>
  );
}

type RowLinkProps = {
  to: string;
  /** The thing that the verb concerns, for screen readers: all links of a page would read "Change" without it. */
  about: string;
  /** The verb, for example "Change". */
  children: string;
};

/** The link of a row or section: one verb. Its accessible name has the context after a colon: "Change: Password". */
export function RowLink({ to, about, children }: RowLinkProps): ReactNode {
  const { t } = useTranslation();
  return (
    <Link
      className="line-link"
      to={to}
      // The router does not scroll to a fragment.
      reloadDocument={to.includes("#")}
      aria-label={t("manage.actionOn", { action: children, name: about })}
    >
      {children}
    </Link>
  );
}

/** Text of a row for something that is set up: a check mark and the text. */
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

/** A word or number about a row or section, in a frame. */
export function Tag({ children }: { children: ReactNode }): ReactNode {
  return <span className="tag">{children}</span>;
}

/**
 * A name of an account or user. A long e-mail address breaks after its @, and a long user name after its dots, before
 * they break anywhere else.
 */
export function AccountName({ children: name }: { children: string }): ReactNode {
  const parts = name.match(name.includes("@") ? /[^@]*@?/g : /[^._-]*[._-]?/g) ?? [];
  return (
    <span translate="no">
      {parts.filter(Boolean).map((part, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a name never change their order.
        <span className="part" key={place}>
          {part}
        </span>
      ))}
    </span>
  );
}

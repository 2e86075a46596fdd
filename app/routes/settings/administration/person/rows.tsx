import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { WithdrawForm } from "#app/routes/settings/administration/withdraw-form.tsx";
import { AccountName, CheckState, Row, Section } from "#app/ui/rows.tsx";

/** A link of a row or section. `about`: what its verb concerns, for screen readers. */
export type RowAction = { to: string; text: string; about: string };

/**
 * A row as texts. `lines`: the value, then smaller lines. `kind`: "name" breaks after dots and @, "check" is set
 * up, "given" was typed by a user, "code" is an id. `isGiven`: the label was typed by a user. `help`:
 * open help of a person that can be withdrawn.
 */
export type RowTexts = {
  label: string;
  lines: readonly string[];
  kind?: "name" | "check" | "small" | "given" | "code";
  isGiven?: boolean;
  action?: RowAction | undefined;
  help?: { personId: string; xsrf: string } | undefined;
};

/** A section as texts. */
export type SectionTexts = {
  id: string;
  heading: string;
  note?: string | undefined;
  action?: RowAction | undefined;
  rows: readonly RowTexts[];
};

/** Sections of a person's pages; one without rows is left out. */
export function Sections({ sections }: { sections: readonly SectionTexts[] }): ReactNode {
  return sections
    .filter(({ rows, action, note }) => rows.length > 0 || action || note)
    .map(({ id, heading, note, action, rows }) => (
      <Section key={id} id={id} heading={heading} lead={note} action={action ? <VerbLink {...action} /> : null} isSnug>
        {rows.map((row, place) => (
          <Row
            // biome-ignore lint/suspicious/noArrayIndexKey: the rows of a document never change their order.
            key={place}
            label={row.isGiven ? <span translate="no">{row.label}</span> : row.label}
            value={<Value {...row} />}
            action={actionOf(row)}
          />
        ))}
      </Section>
    ));
}

function actionOf({ action, help }: RowTexts): ReactNode {
  if (help) return <WithdrawForm {...help} />;
  return action ? <VerbLink {...action} /> : null;
}

function Value({ lines, kind }: RowTexts): ReactNode {
  const [first = "", ...others] = kind === "small" ? ["", ...lines] : lines;
  return (
    <>
      {kind === "name" ? <AccountName>{first}</AccountName> : null}
      {kind === "check" ? <CheckState>{first}</CheckState> : null}
      {kind === "given" ? <span translate="no">{first}</span> : null}
      {kind === "code" ? <code translate="no">{first}</code> : null}
      {kind === undefined ? first : null}
      {others.map((line) => (
        <span className="also" key={line}>
          {line}{" "}
        </span>
      ))}
    </>
  );
}

function VerbLink({ to, text, about }: RowAction): ReactNode {
  const { t } = useTranslation();
  return (
    <a className="line-link" href={to} aria-label={t("manage.actionOn", { action: text, name: about })}>
      {text}
    </a>
  );
}

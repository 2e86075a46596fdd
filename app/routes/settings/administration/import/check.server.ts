import type { TFunction } from "i18next";
import type { PlannedRow } from "#app/domain/user/import/plan.server.ts";
import type { ImportPreview } from "#app/domain/user/import/preview.server.ts";
import { rowProblemText } from "./import.server.ts";

/** Rows on a page of the preview. */
const ROWS_PER_PAGE = 100;

/** Rows with errors that a page shows; the download contains all. */
const SHOWN_ERRORS = 100;

/** A row of a list: `what` happens or is wrong, and details. */
export type CheckedRow = {
  key: string;
  line: number;
  name: string;
  below: string | null;
  what: string;
  details: string;
};

/** Returns the lists of the preview: the rows with errors, and a page of the others. `wanted` counts from 1. */
export function listsOf(t: TFunction, { table, rows, problems }: ImportPreview, wanted: number) {
  const cellOf = (line: number, field: string) => {
    const record = table.records.find((one) => one.line === line);
    return record?.cells[table.fields.indexOf(field)]?.trim() ?? "";
  };
  const errors = problems.slice(0, SHOWN_ERRORS).map(({ line, reason }, index): CheckedRow => {
    const name = cellOf(line, "display_name") || t("adminImport.noName");
    const below = cellOf(line, "email") || cellOf(line, "username") || null;
    return { key: `${line}-${index}`, line, name, below, what: rowProblemText(t, reason), details: "" };
  });
  const active = rows.filter(({ action }) => action !== "keep");
  const pages = Math.max(1, Math.ceil(active.length / ROWS_PER_PAGE));
  const page = Math.min(wanted, pages);
  const first = (page - 1) * ROWS_PER_PAGE;
  const shown = active.slice(first, first + ROWS_PER_PAGE).map((row): CheckedRow => {
    const { line, display_name: name, group } = row;
    return { key: String(line), line, name, below: group, ...whatOf(t, row) };
  });
  return { errors, moreErrors: Math.max(0, problems.length - SHOWN_ERRORS), shown, page, pages, total: active.length };
}

function whatOf(t: TFunction, { action, isInvited, furtherGroups, changes, status }: PlannedRow) {
  if (action === "add") {
    const groups = furtherGroups.map(({ name }) => name).join(", ");
    return { what: isInvited ? t("adminImport.willInvite") : t("adminImport.willAdd"), details: groups };
  }
  const details = [
    changes && changes.fields.length > 0 ? t("adminImport.newFields", { names: changes.fields.join(", ") }) : "",
    changes && changes.addGroups.length > 0 ? t("adminImport.newGroups", { names: changes.addGroups.join(", ") }) : "",
    changes && changes.removeGroups.length > 0
      ? t("adminImport.endedGroups", { names: changes.removeGroups.join(", ") })
      : "",
    changes?.status ? t(status === "blocked" ? "adminImport.willBlock" : "adminImport.willUnblock") : "",
  ];
  return { what: t("adminImport.willChange"), details: details.filter((part) => part !== "").join(" · ") };
}

/** Returns what the button does: "35 einladen und 2 ändern"; "" if the import would change nothing. */
export function verbsOf(t: TFunction, language: string, { invited, added, changed }: ImportPreview["counts"]): string {
  const verbs = [
    invited > 0 ? t("adminImport.verb.invite", { count: invited }) : "",
    added > 0 ? t(invited > 0 ? "adminImport.verb.alsoAdd" : "adminImport.verb.add", { count: added }) : "",
    changed > 0
      ? t(invited + added > 0 ? "adminImport.verb.alsoChange" : "adminImport.verb.change", { count: changed })
      : "",
  ].filter((verb) => verb !== "");
  return new Intl.ListFormat(language, { type: "conjunction" }).format(verbs);
}

import { stringify } from "csv-stringify/sync";
import { INVITED_STATUS, LIST_COLUMNS } from "#app/domain/user/import/preview.server.ts";
import { exportPeople } from "#app/domain/user/people.server.ts";
import { requireAdministration } from "#app/http/administration.server.ts";
import { delimiterFor, download } from "#app/http/download.server.ts";
import { settingsTexts } from "#app/http/page-data.server.ts";
import { readChoice } from "./people.server.ts";

const COLUMNS = [
  ...["username", "display_name", "given_name", "family_name", "email", "group", "status"],
  ...LIST_COLUMNS,
];

/**
 * Responds with the chosen people as CSV (RFC 4180), which an import accepts. Formulas are escaped, and it begins with a
 * BOM for Excel.
 */
export const loader = download(async ({ context, request }) => {
  const administration = await requireAdministration(context, request, "export people");
  const { choice } = await readChoice(administration, request);
  const people = await exportPeople(administration.context, administration.administrator, choice);
  const rows = people.map((person) => [
    ...[person.username, person.displayName, person.givenName, person.familyName, person.email, person.office],
    ...[statusOf(person), person.role, person.invitedUntil?.toISOString(), person.lastSignedInAt?.toISOString()],
    person.lastDay,
  ]);
  const { language } = await settingsTexts(context, request);
  const delimiter = delimiterFor(language);
  const head = stringify([COLUMNS], { bom: true, delimiter });
  return new Response(head + stringify(rows, { escape_formulas: true, delimiter }), {
    headers: {
      "Content-Type": "text/csv; charset=utf-8",
      "Content-Disposition": 'attachment; filename="people.csv"',
      "Cache-Control": "no-store",
    },
  });
});

function statusOf({ isBlocked, isInvited }: { isBlocked: boolean; isInvited: boolean }): string {
  if (isBlocked) return "blocked";
  return isInvited ? INVITED_STATUS : "active";
}

import { stringify } from "csv-stringify/sync";
import { exportPeople } from "#app/domain/user/people.server.ts";
import { requireAdministration } from "#app/http/administration.server.ts";
import { download } from "#app/http/download.server.ts";
import { readChoice } from "./people.server.ts";

const COLUMNS = [
  ...["username", "display_name", "given_name", "family_name", "email", "group", "role", "status"],
  ...["invited_until", "last_signed_in_at", "last_day"],
];

/** Responds with the chosen people as CSV (RFC 4180): with a BOM for Excel, and with formulas escaped. */
export const loader = download(async ({ context, request }) => {
  const administration = await requireAdministration(context, request, "export people");
  const { choice } = await readChoice(administration, request);
  const people = await exportPeople(administration.context, administration.administrator, choice);
  const rows = people.map((person) => [
    ...[person.username, person.displayName, person.givenName, person.familyName, person.email, person.office],
    ...[person.role, statusOf(person), person.invitedUntil?.toISOString(), person.lastSignedInAt?.toISOString()],
    person.lastDay,
  ]);
  const head = stringify([COLUMNS], { bom: true });
  return new Response(head + stringify(rows, { escape_formulas: true }), {
    headers: {
      "Content-Type": "text/csv; charset=utf-8",
      "Content-Disposition": 'attachment; filename="people.csv"',
      "Cache-Control": "no-store",
    },
  });
});

function statusOf({ isBlocked, isInvited }: { isBlocked: boolean; isInvited: boolean }): string {
  if (isBlocked) return "blocked";
  return isInvited ? "invited" : "active";
}

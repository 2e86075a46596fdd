import { findCheckedFile } from "#app/domain/user/import/checked-file.server.ts";
import { previewImport, tableOfProblems } from "#app/domain/user/import/preview.server.ts";
import type { RowProblem } from "#app/domain/user/import/row.server.ts";
import { requireFreshAdministration } from "#app/http/administration.server.ts";
import { delimiterFor, download } from "#app/http/download.server.ts";
import { settingsTexts } from "#app/http/page-data.server.ts";
import { refusal } from "#app/http/refusal.server.ts";
import { ownerOf, rowProblemText } from "./import.server.ts";

/** Responds with the rows that have errors as CSV, with a column of errors. */
export const loader = download(async ({ context: loaded, request, params }) => {
  const administration = await requireFreshAdministration(loaded, request, "import people");
  const { context, administrator } = administration;
  const file = await findCheckedFile(context, ownerOf(administration), params["file"] ?? "");
  if (!file) throw refusal(404, "page_not_found");
  const { t, language } = await settingsTexts(context, request);
  const preview = await previewImport(context, file.text, administrator);
  const errorOf = ({ reason }: RowProblem) => rowProblemText(t, reason);
  const body = Buffer.from(tableOfProblems(preview, { errorOf, delimiter: delimiterFor(language) }));
  return new Response(body, {
    headers: {
      "Content-Type": "text/csv; charset=utf-8",
      "Content-Disposition": 'attachment; filename="errors.csv"',
      "Content-Length": String(body.byteLength),
      "Cache-Control": "no-store",
    },
  });
});

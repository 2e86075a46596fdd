import { Readable } from "node:stream";
import { createReadableStreamFromReadable } from "@remix-run/node";
import { recordEvent } from "#app/domain/audit/record.server.ts";
import { auditCsv, auditJsonLine } from "#app/domain/audit-trail/format.server.ts";
import { readTrail, resolveTrail, withoutTypedName } from "#app/domain/audit-trail/trail.server.ts";
import { requireAdministration } from "#app/http/administration.server.ts";
import { delimiterFor, download } from "#app/http/download.server.ts";
import { settingsTexts } from "#app/http/page-data.server.ts";
import { refusal } from "#app/http/refusal.server.ts";
import { readActivityUrl, toTrailQuery } from "./query.server.ts";

/** The events of a page of the file. */
type Events = Parameters<ReturnType<typeof auditCsv>["page"]>[0];

const jsonLines = { head: "", page: (events: Events) => events.map((event) => `${auditJsonLine(event)}\n`).join("") };

/** Sends the filtered audit trail as a file, the newest event first: CSV, or one line of JSON for each event. */
export const loader = download(async ({ context, request }) => {
  const administration = await requireAdministration(context, request, "read activity");
  const deps = administration.context;
  const format = new URL(request.url).searchParams.get("format") ?? "csv";
  if (format !== "csv" && format !== "json") throw refusal(400, "bad request");
  const { filter } = readActivityUrl(request);
  const resolved = await resolveTrail(deps, toTrailQuery(deps, filter));
  // Recorded before the first line is sent: a download that is cut off has revealed events, too.
  await recordEvent(deps, { type: "audit.exported", outcome: "ok", reason: format });
  const { language } = await settingsTexts(context, request);
  const { head, page } = format === "csv" ? auditCsv(delimiterFor(language)) : jsonLines;
  const pages = resolved.kind === "filter" ? readTrail(deps, resolved.filter) : [];
  const name = `gatehouse-activity-${context.clock.now().toISOString().slice(0, 10)}.${format === "csv" ? "csv" : "jsonl"}`;
  return new Response(streamOf(head, pages, page), {
    headers: {
      "Content-Type": format === "csv" ? "text/csv; charset=utf-8" : "application/jsonl; charset=utf-8",
      "Content-Disposition": `attachment; filename="${name}"`,
      "Cache-Control": "no-store",
    },
  });
});

function streamOf(
  head: string,
  pages: AsyncIterable<Events> | Iterable<Events>,
  toText: (events: Events) => string,
): ReadableStream<Uint8Array> {
  async function* chunks() {
    if (head !== "") yield head;
    for await (const events of pages) yield toText(events.map(withoutTypedName));
  }
  return createReadableStreamFromReadable(Readable.from(chunks()));
}

import { type Command, Option } from "commander";
import { stringify } from "csv-stringify/sync";
import type { CommandLine } from "#app/cli/command-line.server.ts";
import { examples } from "#app/cli/command-options.ts";
import { toWire } from "#app/cli/output/json.ts";
import { writeOut } from "#app/cli/output/write-out.server.ts";
import type { AuditEvent } from "#app/db/schema.server.ts";
import { type AuditQuery, readAuditEvents } from "#app/domain/audit/read.server.ts";
import { type FilterOptions, queryOf, withFilter } from "./audit-filter.server.ts";

const FORMATS = ["json", "csv"] as const;

type Format = (typeof FORMATS)[number];

/** `gatehouse audit export`: the whole trail, or a part of it, for other programs. */
export function addAuditExport(audit: Command, line: CommandLine): void {
  const command = withFilter(audit.command("export"))
    .description("write all events to standard output, the oldest first")
    .addOption(new Option("--format <format>", "JSON, or CSV for spreadsheets").choices(FORMATS).default("json"))
    .option("--json", "the same as --format json")
    .action((options: FilterOptions & { format: Format; json?: boolean }) =>
      runExport(line, options.json ? "json" : options.format, queryOf(options)),
    );
  examples(command, [
    "audit export > trail.json",
    "audit export --format csv --since 2026-01-01 > trail.csv",
    "audit export --user anna.berger --json",
  ]);
}

async function runExport({ streams, withContext }: CommandLine, format: Format, query: AuditQuery) {
  const { head, page: write, tail } = WRITERS[format];
  await withContext(async (context) => {
    let isFirst = true;
    let hasReader = await writeOut(streams, head);
    for await (const page of readAuditEvents(context, query)) {
      if (!hasReader) return;
      hasReader = await writeOut(streams, write(page, isFirst));
      isFirst = false;
    }
    if (hasReader) await writeOut(streams, tail);
  });
}

const COLUMNS = [
  ...["sequence", "at", "type", "outcome", "user_id", "client_id", "address", "request_id"],
  ...["username", "reason", "user_agent", "detail", "previous_hash", "hash"],
];

/** A list in JSON with one event a line; or CSV (RFC 4180) that Excel reads as UTF-8 and never as formulas. */
const WRITERS = {
  json: {
    head: "[",
    page: (events, isFirst) =>
      events.map((event, index) => `${isFirst && index === 0 ? "" : ","}\n${JSON.stringify(toWire(event))}`).join(""),
    tail: "\n]\n",
  },
  csv: {
    head: stringify([COLUMNS], { bom: true }),
    page: (events) => stringify(events.map(cellsOf), { escape_formulas: true }),
    tail: "",
  },
} as const satisfies Record<
  Format,
  { head: string; page: (events: readonly AuditEvent[], isFirst: boolean) => string; tail: string }
>;

function cellsOf(event: AuditEvent): unknown[] {
  const { username, reason, userAgent, ...rest } = event.detail;
  return [
    ...[event.sequence, event.at.toISOString(), event.type, event.outcome],
    ...[event.userId, event.clientId, event.address, event.requestId],
    ...[username, reason, userAgent, Object.keys(rest).length > 0 ? JSON.stringify(rest) : null],
    // Named, for one that begins with a hyphen would be taken for a formula.
    ...[named(event.previousHash), named(event.hash)],
  ];
}

function named(hash: string): string | null {
  return hash === "" ? null : `sha256:${hash}`;
}

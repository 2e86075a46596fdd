import { type Command, InvalidArgumentError, Option } from "commander";
import type { CommandLine } from "#app/cli/command-line.server.ts";
import { examples, jsonOption } from "#app/cli/command-options.ts";
import { table } from "#app/cli/output/table.ts";
import type { AuditEvent } from "#app/db/schema.server.ts";
import { lastAuditEvents, namesOf } from "#app/domain/audit/read.server.ts";
import { addAuditExport } from "./audit-export.server.ts";
import { type FilterOptions, queryOf, withFilter } from "./audit-filter.server.ts";
import { addAuditVerify } from "./audit-verify.server.ts";

const LIMIT = 100;

type ListOptions = FilterOptions & { limit: number; json?: boolean };

/** `gatehouse audit`: what happened, and whether anybody has changed the record of it. */
export function addAuditCommands(program: Command, line: CommandLine): void {
  const audit = program.command("audit").description("read, export and verify the trail of sign-ins and changes");
  examples(audit, ["audit list --since 24h", "audit export --format csv > trail.csv", "audit verify"]);
  addList(audit, line);
  addAuditExport(audit, line);
  addAuditVerify(audit, line);
}

function addList(audit: Command, line: CommandLine): void {
  const command = withFilter(audit.command("list"))
    .description("list the last events, the newest at the end")
    .addOption(new Option("--limit <count>", "how many at most").argParser(parseCount).default(LIMIT))
    .addOption(jsonOption())
    .action((options: ListOptions) => runList(line, options));
  examples(command, [
    "audit list",
    "audit list --user anna.berger --since 7d",
    "audit list --type sign-in.refused --type factor.refused --json",
  ]);
}

async function runList({ output, withContext }: CommandLine, options: ListOptions) {
  const { events, names } = await withContext(async (context) => {
    const last = await lastAuditEvents(context, queryOf(options), options.limit);
    return { events: last, names: await namesOf(context, last) };
  });
  if (options.json) return output.json(events);
  if (events.length === 0) return output.note("There are no such events.");
  return output.lines(
    table(
      ["no", "time (UTC)", "event", "outcome", "user", "client", "address", "reason"],
      events.map((event) => rowOf(event, names)),
    ),
  );
}

function rowOf(event: AuditEvent, names: ReadonlyMap<string, string>): string[] {
  const { sequence, at, type, outcome, userId, clientId, address, detail } = event;
  const user = names.get(userId ?? "") ?? textIn(detail, "username") ?? userId;
  const time = at.toISOString().slice(0, 19).replace("T", " ");
  const shown = [user, clientId, address, textIn(detail, "reason")].map((text) => text ?? "-");
  return [String(sequence), time, type, outcome, ...shown];
}

function textIn(detail: AuditEvent["detail"], key: string): string | null {
  const value = detail[key];
  return typeof value === "string" ? value : null;
}

function parseCount(text: string): number {
  if (!/^[1-9]\d{0,5}$/.test(text)) throw new InvalidArgumentError("Say a whole number from 1 to 999999.");
  return Number(text);
}

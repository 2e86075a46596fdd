import { type Command, InvalidArgumentError, Option } from "commander";
import { z } from "zod";
import type { CommandLine } from "#app/cli/command-line.server.ts";
import { examples, jsonOption, repeated } from "#app/cli/command-options.ts";
import { CommandError, EXIT } from "#app/cli/output/command-error.ts";
import { writeChunk } from "#app/cli/output/output.server.ts";
import { table } from "#app/cli/output/table.ts";
import type { Config } from "#app/config/config.ts";
import { systemClock } from "#app/context.server.ts";
import type { AuditEvent } from "#app/db/schema.server.ts";
import { AUDIT_EVENTS } from "#app/domain/audit/events.ts";
import { auditCsv, auditJsonLine } from "#app/domain/audit-trail/format.server.ts";
import { type AuditQuery, lastAuditEvents, namesOf, readAuditEvents } from "#app/domain/audit-trail/read.server.ts";
import {
  type AuditDigest,
  type ChainBreak,
  type ChainVerification,
  verifyAuditChain,
} from "#app/domain/audit-trail/verify.server.ts";
import { startOfDay } from "#app/domain/base/zoned-day.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "#app/durations.ts";

/** `gatehouse audit`. */
export function addAuditCommands(program: Command, line: CommandLine): void {
  const audit = program.command("audit").description("list, export and verify the audit trail");
  examples(audit, ["audit list --since 24h", "audit export --format csv > trail.csv", "audit verify"]);
  addList(audit, line);
  addExport(audit, line);
  addVerify(audit, line);
}

const DEFAULT_LIMIT = 100;

type ListOptions = FilterOptions & { limit: number; json?: boolean };

function addList(audit: Command, line: CommandLine): void {
  const command = withFilter(audit.command("list"))
    .description("list the last events, the newest at the end")
    .addOption(new Option("--limit <count>", "maximum number of events").argParser(parseCount).default(DEFAULT_LIMIT))
    .addOption(jsonOption())
    .action((options: ListOptions) => runList(line, options));
  examples(command, [
    "audit list",
    "audit list --user anna.berger --since 7d",
    "audit list --actor helga.brandt",
    "audit list --type sign-in.refused --type factor.refused --json",
  ]);
}

async function runList({ output, withExistingContext }: CommandLine, options: ListOptions) {
  const { events, names } = await withExistingContext(async (context) => {
    const last = await lastAuditEvents(context, queryOf(options, context.config), options.limit);
    return { events: last, names: await namesOf(context, last) };
  });
  if (options.json) return output.json(events);
  if (events.length === 0) return output.note("No event matches.");
  return output.lines(
    table(
      ["no", "time", "event", "outcome", "user", "client", "address", "actor", "operator", "reason"],
      events.map((event) => rowOf(event, names, output.time(event.at, "second"))),
    ),
  );
}

function rowOf(event: AuditEvent, names: ReadonlyMap<string, string>, time: string): string[] {
  const { sequence, type, outcome, userId, clientId, address, detail } = event;
  const user = userId === null ? unknownName(detail) : (names.get(userId) ?? textIn(detail, "username") ?? userId);
  const by = [textIn(detail, "actor"), textIn(detail, "operator")];
  const optional = [user, clientId, address, ...by, reasonOf(detail)].map((text) => text ?? "-");
  return [String(sequence), time, type, outcome, ...optional];
}

/**
 * Returns the start of the hash of a name that no user has. Events of earlier versions contain the name as it was typed,
 * which may be a password: it is not shown.
 */
function unknownName(detail: AuditEvent["detail"]): string | null {
  const hash = textIn(detail, "nameHash");
  return hash && `unknown:${hash.slice(0, 8)}`;
}

/** Returns the reason, with what a refused request of a client sent. */
function reasonOf(detail: AuditEvent["detail"]): string | null {
  const sent = textIn(detail, "redirectUri") ?? textIn(detail, "refusedScopes");
  return [textIn(detail, "reason"), sent].filter((text) => text !== null).join(": ") || null;
}

function textIn(detail: AuditEvent["detail"], key: string): string | null {
  const value = detail[key];
  return typeof value === "string" ? value : null;
}

function parseCount(text: string): number {
  if (!/^[1-9]\d{0,5}$/.test(text)) throw new InvalidArgumentError("It must be an integer from 1 to 999999.");
  return Number(text);
}

const FORMATS = ["json", "csv"] as const;

type Format = (typeof FORMATS)[number];
type ExportOptions = FilterOptions & { format: Format; json?: boolean };

function addExport(audit: Command, line: CommandLine): void {
  const command = withFilter(audit.command("export"))
    .description("write all events to standard output, the oldest first")
    .addOption(new Option("--format <format>", "JSON, or CSV for spreadsheets").choices(FORMATS).default("json"))
    .option("--json", "the same as --format json")
    .action((options: ExportOptions) => runExport(line, options.json ? "json" : options.format, options));
  examples(command, [
    "audit export > trail.json",
    "audit export --format csv --since 2026-01-01 > trail.csv",
    "audit export --user anna.berger --json",
  ]);
}

async function runExport({ streams, withExistingContext }: CommandLine, format: Format, options: FilterOptions) {
  const { head, page: formatPage, tail } = WRITERS[format];
  await withExistingContext(async (context) => {
    let isFirst = true;
    let isOpen = await writeChunk(streams, head);
    for await (const page of readAuditEvents(context, queryOf(options, context.config))) {
      if (!isOpen) return;
      isOpen = await writeChunk(streams, formatPage(page, isFirst));
      isFirst = false;
    }
    if (isOpen) await writeChunk(streams, tail);
  });
}

/** JSON: an array with one event per line. CSV: see `auditCsv`. */
const WRITERS = {
  json: {
    head: "[",
    page: (events, isFirst) =>
      events.map((event, index) => `${isFirst && index === 0 ? "" : ","}\n${auditJsonLine(event)}`).join(""),
    tail: "\n]\n",
  },
  csv: { ...auditCsv(), tail: "" },
} as const satisfies Record<
  Format,
  { head: string; page: (events: readonly AuditEvent[], isFirst: boolean) => string; tail: string }
>;

type VerifyOptions = { digest?: AuditDigest; json?: boolean };

function addVerify(audit: Command, line: CommandLine): void {
  const command = audit
    .command("verify")
    .description("verify that no event was changed, removed or moved; exits with 1 otherwise")
    .addOption(
      new Option("--digest <number:hash>", "digest printed by an earlier verification or by the log").argParser(
        parseDigest,
      ),
    )
    .addOption(jsonOption())
    .action((options: VerifyOptions) => runVerify(line, options));
  examples(command, ["audit verify", "audit verify --digest 1204:pQbLrQ4Oq0Y7m4kJc3bq0yDq3mZ9m0eQm1mYVbB4c5E"]);
}

async function runVerify({ output, withExistingContext }: CommandLine, { digest, json }: VerifyOptions) {
  const result = await withExistingContext((context) => verifyAuditChain(context, digest ? { digest } : {}));
  if (json) output.json({ ...result, digest: digestText(result) });
  else printVerification(output, result);
  if (!result.ok) throw new CommandError(EXIT.failed);
}

function printVerification(output: CommandLine["output"], result: ChainVerification): void {
  const { ok, events, first, last, brokenCount, broken } = result;
  const range = first === null || last === null ? "no events" : `${events} events, from ${first} to ${last.sequence}`;
  if (ok) output.lines([`The audit trail is intact: ${range}.`]);
  else output.lines([`The audit trail is broken in ${brokenCount} places: ${range}.`, ...broken.map(breakLine)]);
  const digest = digestText(result);
  if (ok && digest) output.note(`Store this digest outside the database, for audit verify --digest: ${digest}`);
}

function breakLine({ kind, sequence, after }: ChainBreak): string {
  switch (kind) {
    case "edited":
      return `  event ${sequence} was changed after it was written`;
    case "unlinked":
      return after === null
        ? `  event ${sequence} is not the first one: events before it were removed, or it was moved`
        : `  event ${sequence} does not follow event ${after}: an event between them was removed, or one of the two was moved or replaced`;
    case "replaced":
      return `  event ${sequence} differs from the event of the digest`;
    case "missing":
      return `  event ${sequence} of the digest was removed`;
  }
}

function digestText({ last }: ChainVerification): string | null {
  return last && `${last.sequence}:${last.hash}`;
}

function parseDigest(text: string): AuditDigest {
  const [, sequence, hash] = /^(\d{1,15}):([\w-]{43})$/.exec(text) ?? [];
  if (!sequence || !hash) throw new InvalidArgumentError("It must be a number, a colon and 43 characters.");
  return { sequence: Number(sequence), hash };
}

/** Options of `list` and `export` that filter the events. */
type FilterOptions = { since?: Since; user?: string; actor?: string; type?: string[] };

function withFilter(command: Command): Command {
  return command
    .addOption(
      new Option("--since <time>", "only events since then: 30m, 24h, 7d, 4w, a date (TIME_ZONE) or a time").argParser(
        parseSince,
      ),
    )
    .option("--user <name>", "only events of this user; for a removed user, the user id")
    .option("--actor <name>", "only events of this administrator, or of this operator of commands")
    .addOption(new Option("--type <event>", "only events of this type; repeatable").argParser(parseType));
}

function queryOf({ since, user, actor, type }: FilterOptions, { timeZone }: Pick<Config, "timeZone">): AuditQuery {
  return { user, actor, types: type, since: since && timeOf(since, { now: systemClock.now(), timeZone }) };
}

function parseType(type: string, previous: string[] | undefined): string[] {
  if (Object.hasOwn(AUDIT_EVENTS, type)) return repeated(type, previous);
  const stored = Object.entries(AUDIT_EVENTS).flatMap(([name, event]) => (event.stored ? [name] : []));
  throw new InvalidArgumentError(`Known types: ${stored.join(" ")}`);
}

/** The value of --since: an age (30m, 24h, 7d, 4w), a date (in TIME_ZONE), or a time with its zone. */
type Since = { agoMs: number } | { day: string } | { at: Date };

const UNIT_MS = { m: MINUTE_MS, h: HOUR_MS, d: DAY_MS, w: 7 * DAY_MS } as const;
const AGE = /^(\d{1,6})([mhdw])$/;
const time = z.iso.datetime({ offset: true });

function parseSince(text: string): Since {
  const [, count, unit] = AGE.exec(text) ?? [];
  if (count && isUnit(unit)) return { agoMs: Number(count) * UNIT_MS[unit] };
  if (startOfDay(text, "UTC") !== null) return { day: text };
  if (time.safeParse(text).success) return { at: new Date(text) };
  throw new InvalidArgumentError(
    "It must be 30m, 24h, 7d or 4w, a date (2026-03-01), or a time (2026-03-01T09:00:00Z).",
  );
}

function isUnit(text: string | undefined): text is keyof typeof UNIT_MS {
  return text !== undefined && Object.hasOwn(UNIT_MS, text);
}

function timeOf(since: Since, { now, timeZone }: { now: Date; timeZone: string }): Date | undefined {
  if ("at" in since) return since.at;
  if ("agoMs" in since) return new Date(now.getTime() - since.agoMs);
  return startOfDay(since.day, timeZone) ?? undefined;
}

import { type Command, InvalidArgumentError, Option } from "commander";
import { repeated } from "#app/cli/command-options.ts";
import { systemClock } from "#app/context.server.ts";
import { AUDIT_EVENTS } from "#app/domain/audit/events.ts";
import type { AuditQuery } from "#app/domain/audit/read.server.ts";
import { momentOf, parseSince, type Since } from "./since.ts";

/** What narrows a list of events, as it is typed. */
export type FilterOptions = { since?: Since; user?: string; type?: string[] };

/** Adds the options that narrow a list of events. */
export function withFilter(command: Command): Command {
  return command
    .addOption(
      new Option("--since <time>", "only from then on: 30m, 24h, 7d, 4w, a day or a time").argParser(parseSince),
    )
    .option("--user <name>", "only of this user; the id of one who was removed is taken too")
    .addOption(new Option("--type <event>", "only of this kind; repeat for several").argParser(parseType));
}

function parseType(type: string, previous: string[] | undefined): string[] {
  if (Object.hasOwn(AUDIT_EVENTS, type)) return repeated(type, previous);
  const stored = Object.entries(AUDIT_EVENTS).flatMap(([name, facts]) => (facts.stored ? [name] : []));
  throw new InvalidArgumentError(`Known: ${stored.join(" ")}`);
}

/** Which events the options mean now. */
export function queryOf({ since, user, type }: FilterOptions): AuditQuery {
  return { user, types: type, since: since && momentOf(since, systemClock.now()) };
}

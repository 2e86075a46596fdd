import { type Command, Option } from "commander";
import type { CommandLine } from "#app/cli/command-line.server.ts";
import { examples, jsonOption } from "#app/cli/command-options.ts";
import { CommandError, EXIT } from "#app/cli/output/command-error.ts";
import { createProgress } from "#app/cli/output/progress.server.ts";
import { interruptible } from "#app/cli/output/signals.server.ts";
import { applyImport, type ImportResult } from "#app/domain/user/import/apply.server.ts";
import { ENCODINGS, type ImportEncoding } from "#app/domain/user/import/file-error.ts";
import { type ImportPlan, ON_CONFLICT, type OnConflict, planImport } from "#app/domain/user/import/plan.server.ts";
import { CSV_FIELDS, type RowProblem } from "#app/domain/user/import/row.server.ts";
import { readImportFile } from "./user-import-file.server.ts";

type ImportOptions = {
  dryRun?: boolean;
  invite?: boolean;
  onConflict: OnConflict;
  encoding: ImportEncoding;
  json?: boolean;
};

/** Row problems that are printed; the rest is counted. */
const MAX_PRINTED_PROBLEMS = 50;

const FORMAT = `
FILE is CSV with the field names in the first line, or a JSON array of objects; - is standard input.
Fields: ${CSV_FIELDS.join(", ")}.
permissions are separated by spaces (CSV) or an array (JSON). In JSON, address is an object. Empty cells
and strings are ignored. group is the home group; groups are the further groups: names separated by ; in one
cell, where a name that contains ; or " is written as "...", with "" for " (CSV), or an array (JSON). New users
get the default groups, too; an update replaces the further groups, except default groups.
email_verified is true, yes, 1, wahr or ja, or false, no, 0, falsch or nein (CSV), or a boolean (JSON).
password_hash is argon2 ($argon2id$, $argon2i$, $argon2d$), bcrypt ($2a$, $2b$, $2y$) or scrypt
($scrypt$ln=..,r=..,p=..$SALT$HASH), in the format of PHP and passlib; the next sign-in replaces it by argon2id.
Maximum costs: argon2 m=262144, t=100, m*t=1048576, p=16; bcrypt 14; scrypt 2^ln*r*p=2097152, p=16.
Nothing is imported if any row is invalid. To continue an interrupted import, use --on-conflict skip.`;

/** `gatehouse user import`. */
export function addUserImport(user: Command, line: CommandLine): void {
  const command = user
    .command("import")
    .description("add many users from a file")
    .argument("<file>", "a CSV or JSON file, or - for standard input")
    .option("--dry-run", "check every row and print the result; change nothing")
    .addOption(
      new Option("--on-conflict <what>", "if a user already exists: stop, keep the user unchanged, or update the user")
        .choices(ON_CONFLICT)
        .default("fail"),
    )
    .option("--invite", "mail each new user without a password a link to choose one, valid for seven days")
    .addOption(new Option("--encoding <name>", "character encoding of the file").choices(ENCODINGS).default("utf-8"))
    .addOption(jsonOption())
    .addHelpText("after", FORMAT)
    .action((file: string, options: ImportOptions) => runImport(line, file, options));
  examples(command, [
    "user import - --dry-run < staff.csv",
    "user import - --on-conflict skip < staff.csv",
    "user import - --invite --on-conflict skip < staff.csv",
    "user import - --on-conflict update --json < staff.json",
  ]);
}

async function runImport(line: CommandLine, file: string, options: ImportOptions) {
  const raw = await readImportFile(line.streams, file, options.encoding);
  const withContext = options.dryRun ? line.withExistingContext : line.withContext;
  const { plan, result } = await withContext(async (context) => {
    const planned = await planImport(context, raw, options);
    if (options.dryRun || !isImportable(planned)) return { plan: planned, result: null };
    const progress = createProgress(line.streams, { what: "Importing", total: planned.rows.length });
    const done = await interruptible((isStopped) =>
      applyImport(context, planned.rows, { onProgress: progress.at, isStopped }),
    );
    progress.end();
    return { plan: planned, result: done };
  });
  report(line.output, plan, { result, raw: raw.length, options });
}

function isImportable({ problems, conflicts }: ImportPlan): boolean {
  return problems.length === 0 && conflicts.length === 0;
}

type Outcome = { result: ImportResult | null; raw: number; options: ImportOptions };

function report(output: CommandLine["output"], plan: ImportPlan, { result, raw, options }: Outcome): void {
  const counts = result ?? countsOf(plan);
  const [problems, conflicts] = [printed(plan.problems), printed(plan.conflicts)];
  if (options.json) output.json({ dryRun: options.dryRun ?? false, rows: raw, ...counts, problems, conflicts });
  if (problems.length > 0) {
    throw importError(EXIT.failed, "Nothing was imported. Correct these rows:", problems, options);
  }
  if (conflicts.length > 0) {
    const hint = "Nothing was imported, because these users already exist. Use --on-conflict skip or update:";
    throw importError(EXIT.refused, hint, conflicts, options);
  }
  if (result && result.stoppedAfter !== null) {
    const sentence = `Stopped after line ${result.stoppedAfter}. To continue, import the file with --on-conflict skip.`;
    throw new CommandError(EXIT.failed, [sentence, countLine(counts)]);
  }
  if (!options.json) output.lines([`${result ? "Imported" : "Would import"}: ${countLine(counts)}`]);
}

function countsOf({ rows }: ImportPlan): ImportResult {
  const count = (wanted: string) => rows.filter(({ action }) => action === wanted).length;
  return {
    added: count("add"),
    updated: count("update"),
    unchanged: count("keep"),
    skipped: count("skip"),
    invited: rows.filter(({ isInvited }) => isInvited).length,
    stoppedAfter: null,
  };
}

function countLine({ added, updated, unchanged, skipped, invited }: ImportResult): string {
  const invitations = invited > 0 ? ` ${invited} invitations are sent.` : "";
  return `${added} added, ${updated} changed, ${unchanged} unchanged, ${skipped} skipped.${invitations}`;
}

/** Returns the problems without the fields that only pages use. */
function printed(problems: readonly RowProblem[]): PrintedProblem[] {
  return problems.map(({ line, problem }) => ({ line, problem }));
}

type PrintedProblem = Pick<RowProblem, "line" | "problem">;

function importError(
  code: 1 | 5,
  head: string,
  problems: readonly PrintedProblem[],
  { json }: ImportOptions,
): CommandError {
  if (json) return new CommandError(code);
  const shown = problems.slice(0, MAX_PRINTED_PROBLEMS).map(({ line, problem }) => `  line ${line}: ${problem}`);
  const more = problems.length > MAX_PRINTED_PROBLEMS ? [`  and ${problems.length - MAX_PRINTED_PROBLEMS} more`] : [];
  return new CommandError(code, [head, ...shown, ...more]);
}

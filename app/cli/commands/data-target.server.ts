import { readFileSync } from "node:fs";
import { CommandError } from "#app/cli/output/command-error.ts";
import { EXIT } from "#app/cli/output/exit-codes.ts";
import { databaseUrl } from "#app/config/database-value.server.ts";

/** How the target of a copy is named. */
export type TargetOptions = { to?: string; toFile?: string };

/** The address of a PostgreSQL database. Throws CommandError (usage), which never quotes it: it may hold a password. */
export function readTarget({ to, toFile }: TargetOptions): { dialect: "postgres"; url: string } {
  if ((to === undefined) === (toFile === undefined)) throw unusable("Say either --to or --to-file.");
  const text = to ?? readText(toFile ?? "");
  const read = databaseUrl().safeParse(text);
  if (!read.success) throw unusable(`The address of the target ${read.error.issues[0]?.message ?? "cannot be read"}.`);
  if (read.data.dialect !== "postgres") throw unusable("The target is a PostgreSQL database: postgres://…");
  if (to !== undefined && holdsPassword(to)) throw unusable(...PASSWORD_LINES);
  return read.data;
}

const PASSWORD_LINES = [
  "A password is never taken from the command line, where others can read it.",
  "Put it into PGPASSWORD or ~/.pgpass, or the whole address into a file: --to-file FILE",
];

function holdsPassword(text: string): boolean {
  const { password, searchParams } = new URL(text);
  return password !== "" || searchParams.has("password");
}

function readText(file: string): string {
  try {
    // Editors end a file with a line break that is no part of the address.
    return readFileSync(file, "utf8").replace(/[\r\n]+$/, "");
  } catch {
    throw unusable(`The file of --to-file cannot be read: ${file}`);
  }
}

function unusable(...lines: string[]): CommandError {
  return new CommandError(EXIT.usage, lines);
}

import type { Config, ConfigMistake } from "./config.ts";
import { showDatabase, showUrl } from "./database-value.server.ts";
import { fileKey, KEYS } from "./environment.server.ts";
import type { KeyDescription } from "./key.server.ts";
import { readConfig } from "./read.server.ts";
import { type Origin, readSources, type Sources } from "./sources.server.ts";
import { withoutCredentials } from "./validate.server.ts";

/** One key in `config show`. `value` is null for a secret and for a key that is not set; `note` says which. */
type ConfigRow = { key: string; value: string | null; origin: Origin | null; note: string };

/** Result of `config check`: the lists are for `--json`, the lines for a terminal. Contains no secret. */
type CheckReport = { ok: boolean; mistakes: ConfigMistake[]; warnings: ConfigMistake[]; lines: string[] };

/** Result of `config show`: also contains every key with its effective value. */
type ShowReport = CheckReport & { rows: ConfigRow[] };

/** Validates the environment and reports every mistake and warning. */
export function checkConfigReport(env: Record<string, string | undefined>): CheckReport {
  const read = readConfig(env);
  const mistakes = read.ok ? [] : read.mistakes;
  const resultLines = read.ok ? ["The configuration is complete."] : mistakeLines(mistakes);
  return { ok: read.ok, mistakes, warnings: read.warnings, lines: [...resultLines, ...warningLines(read.warnings)] };
}

/** Reports every key with its effective value and its origin; for an invalid configuration followed by the mistakes. */
export function showConfigReport(env: Record<string, string | undefined>): ShowReport {
  const read = readConfig(env);
  const sources = readSources(env);
  const rows = [...KEYS].map(([name, description]) => toRow(name, description, sources, read.ok ? read.config : null));
  const check = checkConfigReport(env);
  const width = Math.max(...rows.map(({ key }) => key.length));
  const shown = rows.map(
    ({ key, value, note }) => `${key.padEnd(width)}  ${value === null ? note : `${value} (${note})`}`,
  );
  return { ...check, rows, lines: check.ok ? shown : [...shown, "", ...check.lines] };
}

/** Formats mistakes for a terminal. */
export function mistakeLines(mistakes: ConfigMistake[]): string[] {
  const count = mistakes.length === 1 ? "1 mistake" : `${mistakes.length} mistakes`;
  return [`${count} in the configuration:`, ...mistakes.flatMap(twoLines)];
}

/** Formats warnings for a terminal; empty without warnings. */
export function warningLines(warnings: ConfigMistake[]): string[] {
  return warnings.length > 0 ? ["Warnings:", ...warnings.flatMap(twoLines)] : [];
}

function twoLines({ key, wrong, expected }: ConfigMistake): string[] {
  return [`  ${key} ${wrong}`, `    expected: ${expected}`];
}

function toRow(key: string, description: KeyDescription, sources: Sources, config: Config | null): ConfigRow {
  const source = sources.texts.get(key);
  if (!source) return toEmptyRow(key, description, sources, config);
  const { text, origin } = source;
  const value = description.secret ? showSecretUrl(key, config) : oneLine(withoutCredentials(text));
  const note = origin === "default" ? "default" : `from ${origin}`;
  return value === null
    ? { key, value, origin, note: `set (${[...text].length} characters, ${note})` }
    : { key, value, origin, note };
}

function toEmptyRow(key: string, description: KeyDescription, sources: Sources, config: Config | null): ConfigRow {
  if (sources.mistakes.some((mistake) => mistake.key === key || mistake.key === fileKey(key))) {
    return { key, value: null, origin: null, note: "unusable" };
  }
  const value = showDerived(key, config);
  if (value !== null) return { key, value, origin: "default", note: "default" };
  const means =
    typeof description.unset === "object" && "means" in description.unset ? description.unset.means : "required";
  return { key, value, origin: null, note: `not set: ${means.replaceAll("`", "")}` };
}

// Parses only a URL that passed its checks: in another one the password may be in any part.
function showSecretUrl(key: string, config: Config | null): string | null {
  if (key === "DATABASE_URL" && config) return showDatabase(config.database);
  return key === "SMTP_URL" && config?.smtpUrl ? showUrl(config.smtpUrl) : null;
}

function showDerived(key: string, config: Config | null): string | null {
  if (key === "MAIL_FROM") return config?.mailFrom ?? null;
  return key === "BACKUP_DIR" ? (config?.backupDir ?? null) : null;
}

// Replaces control characters, which a terminal could interpret.
function oneLine(text: string): string {
  return text.replace(/\p{Cc}/gu, "?");
}

import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { CommandError, EXIT } from "#app/cli/output/command-error.ts";

/** Variables that the shell itself sets, and the one that setup sets. */
const SHELL_VARIABLES = new Set(["NODE_ENV", "PWD", "OLDPWD", "SHLVL", "_"]);

const HEADER = `# The configuration of Gatehouse without secrets, which are files of their own in this folder. KEY=value, in single
# quotes if the value contains a space or a character such as & or $. docs/configuration.md lists all keys. After a change, run
#   gatehouse config check && systemctl restart gatehouse
`;

/** Characters that neither systemd nor the shell interprets. */
const PLAIN = /^[\w@%+=:,./-]+$/;

/**
 * A value with a character that systemd takes as it is, and for which the shell replaces or drops a part of the value;
 * `deploy/gatehouse.sh` refuses the same.
 */
const MISREAD = /^([a-z_]\w*)=(?:(?:[^"'\\&;|<>()$`\n]|\\.)*[&;|<>()$`]|"(?:[^"\\$`\n]|\\.)*[$`])/im;

/**
 * Reads an environment file with the shell, as the command `gatehouse` does; empty if it does not exist. Throws
 * CommandError (configuration).
 */
export function readEnvironmentFile(file: string): Record<string, string> {
  if (!existsSync(file)) return {};
  const [, misread] = MISREAD.exec(readFileSync(file, "utf8")) ?? [];
  if (misread !== undefined) {
    const problem = `The shell cannot read the value of ${misread} in ${file}. Put it in single quotes.`;
    throw new CommandError(EXIT.configuration, [problem]);
  }
  const script = 'set -eua; . "$1"; exec /usr/bin/env -0';
  const { status, stdout, stderr } = spawnSync("/bin/sh", ["-c", script, "sh", file], {
    env: { NODE_ENV: "production" },
    encoding: "utf8",
  });
  if (status !== 0) {
    throw new CommandError(EXIT.configuration, [`${file} cannot be read by the shell: ${stderr.trim()}`, QUOTES]);
  }
  const entries = stdout.split("\0").flatMap((entry) => {
    const [, name = "", value = ""] = /^([^=]+)=(.*)$/s.exec(entry) ?? [];
    return name === "" || SHELL_VARIABLES.has(name) ? [] : [[name, value] as const];
  });
  return Object.fromEntries(entries);
}

const QUOTES = "Put values with spaces and other special characters in double quotes.";

/** Returns the text of an environment file with further keys at its end. `existing` is "" for a new file. */
export function withKeys(existing: string, keys: Readonly<Record<string, string>>): string {
  const lines = Object.entries(keys).map(([key, value]) => `${commentOf(key)}${key}=${quoted(value)}\n`);
  const start = existing === "" ? HEADER : existing.replace(/\n?$/, "\n");
  return start + lines.join("");
}

function commentOf(key: string): string {
  if (key !== "APP_URL") return "";
  return '# The target of "to the application" links; until you have an application, the login settings.\n';
}

/** Quotes a value so that systemd.exec(5) and the shell read the same text. */
function quoted(value: string): string {
  if (PLAIN.test(value)) return value;
  return value.includes("'") ? `"${value.replace(/["\\$`]/g, "\\$&")}"` : `'${value}'`;
}

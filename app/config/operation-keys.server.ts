import { key } from "./key.server.ts";
import { oneOf, path, timeZone, wholeNumber } from "./plain-values.server.ts";

/** The levels of pino, and `silent`. */
export const LOG_LEVELS = ["fatal", "error", "warn", "info", "debug", "trace", "silent"] as const;

/** Keys for the operation of the service. */
export const operationKeys = {
  BACKUP_DIR: key(path().optional(), {
    topic: "backup",
    meaning: "The folder of the copies of the SQLite file. Best on another disk.",
    expected: "the path of a folder, absolute or from the working directory",
    example: "/var/backups/gatehouse",
    unset: { means: "`backups` in the data folder" },
  }),
  BACKUP_KEEP: key(wholeNumber(1, 3650), {
    topic: "backup",
    meaning: "How many copies are kept; older ones are removed.",
    expected: "a whole number of copies from 1 to 3650",
    example: "30",
    unset: { default: "14" },
  }),
  AUDIT_RETENTION_DAYS: key(wholeNumber(30, 3650), {
    topic: "backup",
    meaning: "How long the records of sign-ins and changes are kept.",
    expected: "a whole number of days from 30 to 3650",
    example: "730",
    unset: { default: "365" },
  }),
  TIME_ZONE: key(timeZone(), {
    topic: "logs",
    meaning: "The time zone of nightly work and of times in pages and mails. The log is always in UTC.",
    expected: "a name of the IANA time zone database",
    example: "Europe/Berlin",
    unset: { default: "UTC" },
  }),
  METRICS_PORT: key(wholeNumber(1, 65_535).optional(), {
    topic: "logs",
    meaning: "A second TCP port that serves figures for Prometheus at /metrics, to this machine alone (127.0.0.1).",
    expected: "a whole number from 1 to 65535, another than PORT",
    example: "9464",
    unset: { means: "no figures are served" },
  }),
  LOG_LEVEL: key(oneOf(LOG_LEVELS), {
    topic: "logs",
    meaning: "How much the log tells: lines of this level and of the graver ones. Secrets stand in none of them.",
    expected: LOG_LEVELS.join(", "),
    example: "debug",
    unset: { default: "info" },
  }),
};

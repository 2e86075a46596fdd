import { key } from "./key.server.ts";
import { oneOf, path, timeZone, wholeNumber } from "./plain-values.server.ts";

/** The levels of pino, and `silent`. */
const LOG_LEVELS = ["fatal", "error", "warn", "info", "debug", "trace", "silent"] as const;

/** Keys for the operation of the service. */
export const operationKeys = {
  BACKUP_DIR: key(path().optional(), {
    topic: "backup",
    meaning: "The folder of the backups of the SQLite file, preferably on another disk.",
    expected: "the path of a folder, absolute or from the working directory",
    example: "/var/backups/gatehouse",
    unset: { means: "`backups` in the data folder" },
  }),
  BACKUP_KEEP: key(wholeNumber(1, 3650), {
    topic: "backup",
    meaning: "The number of backups that are kept; older ones are removed.",
    expected: "an integer from 1 to 3650",
    example: "30",
    unset: { default: "14" },
  }),
  AUDIT_RETENTION_DAYS: key(wholeNumber(30, 3650), {
    topic: "backup",
    meaning: "The time for which audit events are kept, in days.",
    expected: "an integer from 30 to 3650",
    example: "730",
    unset: { default: "365" },
  }),
  TIME_ZONE: key(timeZone().optional(), {
    topic: "logs",
    meaning:
      "The time zone of nightly jobs and of times in pages, mails and the output of commands. The log is always in UTC.",
    expected: "a name of the IANA time zone database",
    example: "Europe/Berlin",
    unset: { means: "the time zone of the server, or UTC if Node does not know it" },
  }),
  METRICS_PORT: key(wholeNumber(1, 65_535).optional(), {
    topic: "logs",
    meaning: "A second TCP port that serves metrics for Prometheus at /metrics, on 127.0.0.1 only.",
    expected: "an integer from 1 to 65535, different from PORT",
    example: "9464",
    unset: { means: "no metrics are served" },
  }),
  LOG_LEVEL: key(oneOf(LOG_LEVELS), {
    topic: "logs",
    meaning: "The minimum level of log lines. No level logs secrets.",
    expected: LOG_LEVELS.join(", "),
    example: "debug",
    unset: { default: "info" },
  }),
};

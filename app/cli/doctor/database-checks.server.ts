import { z } from "zod";
import { findFirstAuditEvent } from "#app/db/repositories/audit-events.server.ts";
import { countExpired } from "#app/db/repositories/expired-rows.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { clockBehindSeconds } from "#app/domain/audit/clock-check.server.ts";
import { verifyAuditChain } from "#app/domain/audit-trail/verify.server.ts";
import { DAY_MS, HOUR_MS } from "#app/durations.ts";
import { type CheckResult, type DatabaseCheck, failed, ok, skipped, warning } from "./check.server.ts";

const CLOCK_TOLERANCE_MS = 5_000;

/** Required SQLite settings, so that committed data are durable. */
const REQUIRED_PRAGMAS = {
  journal_mode: "wal",
  synchronous: "2",
  foreign_keys: "1",
  trusted_schema: "0",
  secure_delete: "1",
};

/** Checks of the database: settings, integrity, clock, time zone, expired rows, audit trail. */
export const DATABASE_CHECKS: readonly DatabaseCheck[] = [
  { name: "database settings", run: ({ store }) => checkSettings(store) },
  { name: "database integrity", run: ({ store }) => checkIntegrity(store) },
  { name: "clock", run: checkClock },
  { name: "time zone", run: ({ config }) => ok(`pages and mails show times in ${config.timeZone} (TIME_ZONE)`) },
  { name: "expired rows", run: checkExpired },
  { name: "audit trail", run: checkTrail },
];

async function checkSettings(store: Store): Promise<CheckResult> {
  if (store.dialect === "postgres") return checkPostgres(store);
  const wrong: string[] = [];
  for (const [name, required] of Object.entries(REQUIRED_PRAGMAS)) {
    const found = await firstValue(store, `PRAGMA ${name}`);
    if (found !== required) wrong.push(`${name} is ${found}, not ${required}`);
  }
  if (wrong.length === 0) return ok("committed data are durable");
  return failed(
    wrong.join(", "),
    "Check whether another program changes the database, and whether the disk is read-only.",
  );
}

async function checkPostgres(store: Store): Promise<CheckResult> {
  const [fsync, commit] = [await firstValue(store, "SHOW fsync"), await firstValue(store, "SHOW synchronous_commit")];
  const fix = "Enable both in postgresql.conf; otherwise a consumed token could be valid again after a power loss.";
  if (fsync !== "on" || commit === "off") return failed(`fsync is ${fsync}, synchronous_commit is ${commit}`, fix);
  return ok(`PostgreSQL ${await firstValue(store, "SHOW server_version")} stores committed data durably`);
}

async function checkIntegrity(store: Store): Promise<CheckResult> {
  if (store.dialect === "postgres") return skipped("PostgreSQL has its own tool (pg_amcheck)");
  const found = await firstValue(store, "PRAGMA quick_check(1)");
  const orphans = await store.execute("PRAGMA foreign_key_check");
  if (found === "ok" && orphans.length === 0) return ok("the file is intact");
  const what = found === "ok" ? `${orphans.length} rows refer to rows that do not exist` : found;
  return failed(what, "Stop the server and restore the newest backup: gatehouse restore FILE");
}

async function checkClock({ store, clock }: Parameters<DatabaseCheck["run"]>[0]): Promise<CheckResult> {
  const behindSeconds = await clockBehindSeconds({ store, clock });
  const fix = "Synchronise the clock by NTP (timedatectl set-ntp true).";
  if (behindSeconds > 0) {
    return failed(`the latest audit event is ${behindSeconds} s in the future: the clock was set back`, fix);
  }
  if (store.dialect === "sqlite") return ok("the clock is not behind the latest audit event");
  const postgresMs = Number(await firstValue(store, "SELECT extract(epoch from clock_timestamp()) * 1000"));
  const offset = Math.abs(postgresMs - clock.now().getTime());
  if (offset > CLOCK_TOLERANCE_MS) {
    return failed(`the clocks of PostgreSQL and of this machine differ by ${Math.round(offset / 1000)} s`, fix);
  }
  return ok("the clock agrees with PostgreSQL and is not behind the latest audit event");
}

async function checkExpired({ store, clock }: Parameters<DatabaseCheck["run"]>[0]): Promise<CheckResult> {
  // Expired sign-ins are kept for a day, so that users can restart them.
  const count = await countExpired(store, new Date(clock.now().getTime() - DAY_MS - HOUR_MS));
  if (count === 0) return ok("no expired rows are left");
  const found = `${count} rows expired more than a day ago`;
  return warning(found, "A running server removes them every minute. Check that it is running, and its log.");
}

async function checkTrail({ store, config, clock }: Parameters<DatabaseCheck["run"]>[0]): Promise<CheckResult> {
  const { ok: isIntact, broken, events } = await verifyAuditChain({ store });
  const [first] = broken;
  if (!isIntact) {
    return failed(
      `the audit trail is broken at event ${first?.sequence}`,
      "List all places with gatehouse audit verify, and compare the events with a backup.",
    );
  }
  const oldest = await findFirstAuditEvent(store);
  const days = oldest ? (clock.now().getTime() - oldest.at.getTime()) / DAY_MS : 0;
  const found = `${events} events, none was changed or removed`;
  if (days <= config.auditRetentionDays + 2) return ok(found);
  const older = `the oldest event is ${Math.floor(days)} days old, more than AUDIT_RETENTION_DAYS`;
  return warning(older, "A running server removes old events. Check that it is running, and its log.");
}

/** Returns the first value of the first row as text. */
async function firstValue(store: Store, sql: string): Promise<string> {
  const [row] = z.array(z.record(z.string(), z.unknown())).parse(await store.execute(sql));
  return String(Object.values(row ?? {})[0] ?? "");
}

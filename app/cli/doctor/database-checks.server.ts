import { z } from "zod";
import { findFirstAuditEvent } from "#app/db/repositories/audit-events.server.ts";
import { countExpired } from "#app/db/repositories/expired-rows.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { clockBehindSeconds } from "#app/domain/audit/clock-check.server.ts";
import { verifyAuditChain } from "#app/domain/audit/verify.server.ts";
import { type CheckResult, type DatabaseCheck, failed, ok, skipped, warning } from "./check.server.ts";

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;
const CLOCK_TOLERANCE_MS = 5_000;

/** How SQLite has to be set on this connection: nothing that was committed is lost or half-written. */
const WANTED = { journal_mode: "wal", synchronous: "2", foreign_keys: "1", trusted_schema: "0", secure_delete: "1" };

/** What the database itself can tell. */
export const DATABASE_CHECKS: readonly DatabaseCheck[] = [
  { name: "database settings", run: ({ store }) => checkSettings(store) },
  { name: "database integrity", run: ({ store }) => checkIntegrity(store) },
  { name: "clock", run: checkClock },
  { name: "expired rows", run: checkExpired },
  { name: "audit trail", run: checkTrail },
];

async function checkSettings(store: Store): Promise<CheckResult> {
  if (store.dialect === "postgres") return checkPostgres(store);
  const wrong: string[] = [];
  for (const [name, wanted] of Object.entries(WANTED)) {
    const found = await firstValue(store, `PRAGMA ${name}`);
    if (found !== wanted) wrong.push(`${name} is ${found}, not ${wanted}`);
  }
  if (wrong.length === 0) return ok("nothing that was committed can be lost");
  return failed(wrong.join(", "), "Look for another program that changes the database, and for a read-only disk.");
}

async function checkPostgres(store: Store): Promise<CheckResult> {
  const [fsync, commit] = [await firstValue(store, "SHOW fsync"), await firstValue(store, "SHOW synchronous_commit")];
  const fix = "Switch both on in postgresql.conf: a spent token could come back after a power loss.";
  if (fsync !== "on" || commit === "off") return failed(`fsync is ${fsync}, synchronous_commit is ${commit}`, fix);
  return ok(`PostgreSQL ${await firstValue(store, "SHOW server_version")} keeps what it has committed`);
}

async function checkIntegrity(store: Store): Promise<CheckResult> {
  if (store.dialect === "postgres") return skipped("PostgreSQL looks after that itself (pg_amcheck)");
  const found = await firstValue(store, "PRAGMA quick_check(1)");
  const orphans = await store.execute("PRAGMA foreign_key_check");
  if (found === "ok" && orphans.length === 0) return ok("the file is whole");
  const what = found === "ok" ? `${orphans.length} rows refer to rows that are gone` : found;
  return failed(what, "Stop the server and restore the newest backup: gatehouse restore FILE.");
}

async function checkClock({ store, clock }: Parameters<DatabaseCheck["run"]>[0]): Promise<CheckResult> {
  const behindSeconds = await clockBehindSeconds({ store, clock });
  const fix = "Let the machine keep its time by NTP (timedatectl set-ntp true).";
  if (behindSeconds > 0) {
    return failed(`the latest audit event is ${behindSeconds} s ahead: the clock was turned back`, fix);
  }
  if (store.dialect === "sqlite") return ok("the clock is not behind anything that happened");
  const theirs = Number(await firstValue(store, "SELECT extract(epoch from clock_timestamp()) * 1000"));
  const offset = Math.abs(theirs - clock.now().getTime());
  if (offset > CLOCK_TOLERANCE_MS) return failed(`PostgreSQL's clock is ${Math.round(offset / 1000)} s off ours`, fix);
  return ok("the clock is PostgreSQL's, and not behind anything that happened");
}

async function checkExpired({ store, clock }: Parameters<DatabaseCheck["run"]>[0]): Promise<CheckResult> {
  // Sign-ins whose time is over are kept for a day, so that they can start again.
  const count = await countExpired(store, new Date(clock.now().getTime() - DAY_MS - HOUR_MS));
  if (count === 0) return ok("nothing waits to be cleaned up");
  const found = `${count} rows should have been removed a day ago`;
  return warning(found, "A running server removes them every minute: is it running, and what does its log say?");
}

async function checkTrail({ store, config, clock }: Parameters<DatabaseCheck["run"]>[0]): Promise<CheckResult> {
  const { ok: isWhole, broken, events } = await verifyAuditChain({ store });
  const [first] = broken;
  if (!isWhole) {
    return failed(
      `the trail is broken at event ${first?.sequence}`,
      "gatehouse audit verify names every place; compare with a backup.",
    );
  }
  const oldest = await findFirstAuditEvent(store);
  const days = oldest ? (clock.now().getTime() - oldest.at.getTime()) / DAY_MS : 0;
  const found = `${events} events, none changed or removed`;
  if (days <= config.auditRetentionDays + 2) return ok(found);
  const older = `the oldest event is ${Math.floor(days)} days old, more than AUDIT_RETENTION_DAYS`;
  return warning(older, "A running server removes them: is it running, and what does its log say?");
}

/** The first value of the first row, as text. */
async function firstValue(store: Store, sql: string): Promise<string> {
  const [row] = z.array(z.record(z.string(), z.unknown())).parse(await store.execute(sql));
  return String(Object.values(row ?? {})[0] ?? "");
}

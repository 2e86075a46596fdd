import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import Database from "better-sqlite3";
import { DAY_MS } from "#app/durations.ts";
import type { Bench, Finding } from "../bench.ts";
import { databaseFileOf } from "../gatehouse.ts";
import type { MeasuredProcess } from "../measured-process.ts";
import { startPacedLoad, type Wait } from "../paced-load.ts";
import { quantile } from "../statistics.ts";

const ROWS = 100_000;
/** Rows per insert transaction, so that the server can write in between. */
const BATCH = 2_000;
const MOST_MS = 50;
const SHARE_OF_CAPACITY = 0.5;
const CAPACITY_SECONDS = 5;
/** Duration of the same load without expired rows, before and after. */
const COMPARED_MS = 15_000;
/** Longest wait for the removal, which runs once a minute. */
const PATIENCE_MS = 10 * 60_000;
const POLL_MS = 250;
const BUSY_TIMEOUT_MS = 10_000;
/** Requests this close to the beginning or end are not counted. */
const BORDER_MS = 1_000;

/**
 * Measures the removal of 100,000 expired rows at half of the server's capacity: the longest batch, as reported by the
 * server, and the response times of login pages at a fixed rate with and without the removal. No passwords are checked,
 * because hashing would use both cores of a small machine and hide the effect.
 */
export async function measureCleanUp(bench: Bench): Promise<Finding[]> {
  const { process } = bench.product;
  const database = new Database(databaseFileOf(bench.gatehouse), { fileMustExist: true, timeout: BUSY_TIMEOUT_MS });
  const load = startPacedLoad(bench.service);
  try {
    const perSecond = SHARE_OF_CAPACITY * (await load.capacity(bench.options.clients, CAPACITY_SECONDS));
    await process.watchStalls();
    await load.start(perSecond);
    await sleep(COMPARED_MS);
    const stallWithout = await process.longestStallMs();
    await fill(database);
    await process.watchRemovals();
    const removal = await watchRemoval(database, process);
    await sleep(COMPARED_MS);
    const waits = await load.end();
    return findings({ ...removal, waits, perSecond, stallWithout });
  } finally {
    load.stop();
    database.close();
  }
}

type Removal = {
  beganAt: number;
  endedAt: number;
  filledAt: number;
  heldMs: number;
  usualMs: number;
  stallWith: number;
};
type Measured = Removal & { waits: readonly Wait[]; perSecond: number; stallWithout: number };

function findings({ waits, perSecond, stallWithout, ...removal }: Measured): Finding[] {
  const { beganAt, endedAt, filledAt, heldMs, usualMs, stallWith } = removal;
  const during = waits.filter(({ at }) => at > beganAt + BORDER_MS && at < endedAt - BORDER_MS);
  const beside = waits.filter(({ at }) => at < filledAt - BORDER_MS || at > endedAt + BORDER_MS);
  const [ours, reference] = [during, beside].map(summarize);
  if (!ours || !reference) throw new Error("no response times were measured");
  const seconds = (endedAt - beganAt) / 1000;
  return [
    {
      what: `longest batch of the removal of ${ROWS} expired rows, at half load; the others wait for it`,
      unit: "ms",
      ours: heldMs,
      reference: { what: "any stall of the event loop at the same load without it", value: stallWithout },
      ratio: null,
      target: { text: `≤ ${MOST_MS} ms`, met: heldMs <= MOST_MS },
      details: { seconds, pagesPerSecond: perSecond, usualMs, stallWith },
    },
    {
      what: "slowest login page of a thousand meanwhile",
      unit: "ms",
      ours: ours.p999,
      reference: { what: "the same load without it", value: reference.p999 },
      ratio: null,
      target: { text: `≤ ${MOST_MS} ms more`, met: ours.p999 - reference.p999 <= MOST_MS },
      details: { during: ours, beside: reference },
    },
  ];
}

function summarize(waits: readonly Wait[]) {
  const values = waits.map(({ ms }) => ms);
  const [p50, p99, p999, most] = [0.5, 0.99, 0.999, 1].map((share) => quantile(values, share));
  return { pages: values.length, p50: p50 ?? 0, p99: p99 ?? 0, p999: p999 ?? 0, most: most ?? 0 };
}

/** Inserts rows of access tokens that expired yesterday, with random keys. */
async function fill(database: Database.Database): Promise<void> {
  const yesterday = Date.now() - DAY_MS;
  const key = () => randomBytes(32).toString("base64url");
  const insert = database.prepare(
    `INSERT INTO oidc_records (model, id, payload, grant_id, account_id, client_id, expires_at)
     VALUES ('AccessToken', ?, ?, ?, ?, 'bench', ?)`,
  );
  const some = database.transaction((from: number) => {
    for (let row = from; row < from + BATCH; row += 1) {
      const payload = JSON.stringify({ iat: row, exp: row, kind: "AccessToken", text: "x".repeat(300) });
      insert.run(`expired-${key()}`, payload, key(), `person-${row % 64}`, yesterday + row);
    }
  });
  for (let from = 0; from < ROWS; from += BATCH) {
    some.immediate(from);
    await sleep(10);
  }
}

/** Waits until all expired rows are removed and returns the recorded times. */
async function watchRemoval(database: Database.Database, process: MeasuredProcess): Promise<Removal> {
  const filledAt = Date.now();
  const before = filledAt - DAY_MS + ROWS;
  const first = database.prepare("SELECT 1 AS any FROM oidc_records WHERE expires_at < ? LIMIT 1");
  const deadline = filledAt + PATIENCE_MS;
  let beganAt: number | null = null;
  while (Date.now() < deadline) {
    if (beganAt === null && (await process.longestRemovalMs()) > 0) {
      beganAt = Date.now();
      await process.watchStalls();
    }
    if (beganAt !== null && first.get(before) === undefined) {
      const endedAt = Date.now();
      const heldMs = await process.longestRemovalMs();
      const usualMs = await process.usualRemovalMs();
      return { beganAt, endedAt, filledAt, heldMs, usualMs, stallWith: await process.longestStallMs() };
    }
    await sleep(POLL_MS);
  }
  throw new Error("the server does not remove expired rows");
}

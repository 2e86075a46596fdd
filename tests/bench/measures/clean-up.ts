import { setTimeout as sleep } from "node:timers/promises";
import Database from "better-sqlite3";
import { z } from "zod";
import type { Bench, Finding } from "../bench.ts";
import { signIn } from "../sign-in-flow.ts";

const ROWS = 100_000;
/** Rows that are put in at once, so that the server's own writes come in between. */
const BATCH = 2_000;
const MOST_MS = 50;
const SHARE_OF_CAPACITY = 0.5;
/** How long the same load is watched without anything to clean up. */
const COMPARED_MS = 15_000;
/** A server cleans up once a minute. */
const PATIENCE_MS = 4 * 60_000;
const POLL_MS = 250;
const BUSY_TIMEOUT_MS = 10_000;

/**
 * How long the server's event loop stands still at most while it removes 100,000 rows whose time is over, at half of the
 * sign-ins that it can do.
 */
export async function measureCleanUp(bench: Bench, signInsPerSecond: number): Promise<Finding> {
  const { process } = bench.product;
  const load = startLoad(bench, signInsPerSecond * SHARE_OF_CAPACITY);
  const file = (bench.gatehouse.env["DATABASE_URL"] ?? "").replace(/^sqlite:/, "");
  const database = new Database(file, { fileMustExist: true, timeout: BUSY_TIMEOUT_MS });
  try {
    await process.watchStalls();
    await sleep(COMPARED_MS);
    const without = await process.longestStallMs();
    await fill(database);
    await process.watchStalls();
    const seconds = await waitUntilGone(database);
    const longest = await process.longestStallMs();
    return {
      what: `longest stall while ${ROWS} expired rows go, at half load`,
      unit: "ms",
      ours: longest,
      reference: { what: "the same load without them", value: without },
      ratio: null,
      target: { text: `≤ ${MOST_MS} ms`, met: longest <= MOST_MS },
      details: { seconds, signInsPerSecond: signInsPerSecond * SHARE_OF_CAPACITY, signIns: load.done() },
    };
  } finally {
    database.close();
    await load.stop();
  }
}

/** People who sign in one after the other at this pace, however long each of them takes. */
function startLoad({ http, service, nextPerson }: Bench, perSecond: number) {
  const under = new Set<Promise<void>>();
  let done = 0;
  let failed: unknown = null;
  const timer = setInterval(() => {
    const one = signIn(http, service, nextPerson()).then(
      () => {
        done += 1;
      },
      (error: unknown) => {
        failed = error;
      },
    );
    under.add(one);
    void one.finally(() => under.delete(one));
  }, 1000 / perSecond);
  return {
    done: () => done,
    async stop() {
      clearInterval(timer);
      await Promise.all(under);
      if (failed !== null) throw failed;
    },
  };
}

/** Rows like those of access tokens that ran out yesterday. */
async function fill(database: Database.Database): Promise<void> {
  const yesterday = Date.now() - 24 * 60 * 60 * 1000;
  const insert = database.prepare(
    `INSERT INTO oidc_records (model, id, payload, grant_id, account_id, client_id, expires_at)
     VALUES ('AccessToken', ?, ?, ?, ?, 'bench', ?)`,
  );
  const some = database.transaction((from: number) => {
    for (let row = from; row < from + BATCH; row += 1) {
      const payload = JSON.stringify({ iat: row, exp: row, kind: "AccessToken", text: "x".repeat(300) });
      insert.run(`expired-${row}`, payload, `grant-${row}`, `person-${row % 64}`, yesterday);
    }
  });
  for (let from = 0; from < ROWS; from += BATCH) {
    some.immediate(from);
    await sleep(10);
  }
}

const counted = z.object({ count: z.int() });

/** Answers how many seconds the removal took, from the first row that went to the last. */
async function waitUntilGone(database: Database.Database): Promise<number> {
  const count = database.prepare("SELECT count(*) AS count FROM oidc_records WHERE id LIKE 'expired-%'");
  const deadline = performance.now() + PATIENCE_MS;
  let began: number | null = null;
  while (performance.now() < deadline) {
    const left = counted.parse(count.get()).count;
    if (left < ROWS) began ??= performance.now();
    if (left === 0) return (performance.now() - (began ?? performance.now())) / 1000;
    await sleep(POLL_MS);
  }
  throw new Error("The server does not remove what has run out.");
}

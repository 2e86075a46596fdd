import { setTimeout as sleep } from "node:timers/promises";
import { Counter, Gauge, type Registry } from "prom-client";
import type { AppContext } from "#app/context.server.ts";
import { readLogoutQueue } from "#app/domain/backchannel-logout/state.server.ts";
import { backupAgeSeconds } from "#app/domain/backup/age.server.ts";
import { readDatabaseSize } from "#app/domain/instance/database-size.server.ts";
import { readQueueState } from "#app/domain/mail/queue.server.ts";
import { signingKeyAges } from "#app/oidc/keys.server.ts";

export type StateDeps = Pick<AppContext, "config" | "store" | "clock">;

/** Timeout of one metric; scrapers wait ten seconds by default, and a hanging read must not delay the other metrics. */
const READ_TIMEOUT_MS = 2_000;

type Sample = { labels: Readonly<Record<string, string>>; value: number };

/** A gauge; `read` returns its current values and omits unavailable ones. */
type GaugeDefinition = { name: string; help: string; labelNames: readonly string[]; read(): Promise<Sample[]> };

/** Registers gauges that are read at each scrape, all at the same time. */
export function showState(register: Registry, context: StateDeps): void {
  const failures = new Counter({
    name: "gatehouse_figures_unread_total",
    help: "Metrics that were omitted because reading them failed or timed out.",
    labelNames: ["figure"],
    registers: [register],
  });
  for (const { name, help, labelNames, read } of gaugeDefinitions(context)) {
    new Gauge({
      ...{ name, help, labelNames, registers: [register] },
      async collect() {
        this.reset();
        // Without labels, reset() sets the value to 0; it must be absent until it was read.
        if (labelNames.length === 0) this.remove();
        const values = await withTimeout(read);
        if (values === null) failures.inc({ figure: name });
        for (const { labels, value } of values ?? []) this.set(labels, value);
      },
    });
  }
}

/** Resolves to null if the read fails or times out. */
async function withTimeout(read: () => Promise<Sample[]>): Promise<Sample[] | null> {
  const timeout = new AbortController();
  try {
    return await Promise.race([read(), sleep(READ_TIMEOUT_MS, null, { signal: timeout.signal })]);
  } catch {
    // Counted by the caller; database errors are logged elsewhere.
    return null;
  } finally {
    timeout.abort();
  }
}

/** Shares one read between all metrics that call it while it is under way: those of one scrape. */
function shared<Value>(read: () => Promise<Value>): () => Promise<Value> {
  let current: Promise<Value> | null = null;
  return () => {
    current ??= read().finally(() => {
      current = null;
    });
    return current;
  };
}

function gaugeDefinitions(context: StateDeps): GaugeDefinition[] {
  const one = (value: number | null) => (value === null ? [] : [{ labels: {}, value }]);
  const logoutQueue = shared(() => readLogoutQueue(context));
  return [
    {
      name: "gatehouse_mails_waiting",
      help: "Mails that are waiting to be sent.",
      labelNames: [],
      read: async () => one((await readQueueState(context)).waiting),
    },
    {
      name: "gatehouse_mails_oldest_seconds",
      help: "Age of the oldest waiting mail; 0 if there is none.",
      labelNames: [],
      read: async () => one((await readQueueState(context)).oldestSeconds),
    },
    {
      name: "gatehouse_backchannel_logouts_waiting",
      help: "Back-channel logouts that are waiting to be sent.",
      labelNames: [],
      read: async () => one((await logoutQueue()).waiting),
    },
    {
      name: "gatehouse_backchannel_logouts_oldest_seconds",
      help: "Age of the oldest waiting back-channel logout; 0 if there is none.",
      labelNames: [],
      read: async () => one((await logoutQueue()).oldestSeconds),
    },
    {
      name: "gatehouse_backchannel_logouts_failed",
      help: "Back-channel logouts that failed permanently in the last 24 hours.",
      labelNames: [],
      read: async () => one((await logoutQueue()).failed),
    },
    {
      name: "gatehouse_backup_age_seconds",
      help: "Age of the newest backup in BACKUP_DIR, or of the database if there is none. SQLite only.",
      labelNames: [],
      read: async () => one(await backupAgeSeconds(context)),
    },
    {
      name: "gatehouse_signing_key_age_seconds",
      help: "Age of the current signing key of each algorithm.",
      labelNames: ["alg"],
      read: async () =>
        (await signingKeyAges(context)).map(({ alg, seconds }) => ({ labels: { alg }, value: seconds })),
    },
    {
      name: "gatehouse_database_bytes",
      help: 'Size of the database; file "wal" is the write-ahead log of SQLite.',
      labelNames: ["file"],
      read: async () => {
        const { databaseBytes, walBytes } = await readDatabaseSize(context);
        const main = { labels: { file: "main" }, value: databaseBytes };
        return walBytes === null ? [main] : [main, { labels: { file: "wal" }, value: walBytes }];
      },
    },
  ];
}

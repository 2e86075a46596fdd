import { AsyncResource } from "node:async_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import type { Store, StoreEvents } from "#app/db/store.server.ts";
import { describeError } from "#app/domain/base/describe-error.server.ts";

/** Polling interval, for retries and rows that other processes queued; rows of this process wake the worker. */
const POLL_MS = 5_000;

/** Time for current deliveries to finish on shutdown; shorter than the server's own drain. */
const STOP_MS = 5_000;

/** Delivers all due rows; ends early when `stopping` is aborted. */
type DeliverDue = (stopping: AbortSignal) => Promise<unknown>;

/** The loop that empties one queue of the database in this process. */
export type DeliveryWorker = {
  start(deliverDue: DeliverDue): void;
  /** Stops polling, waits at most 5 s for current deliveries, then calls `abandon` and waits for the rest. */
  stop(abandon?: () => void): Promise<void>;
};

/** `wakeEvent`: event of the store at which the worker polls at once; `failure`: log message for an error. */
type WorkerDeps = { store: Store; wakeEvent: keyof StoreEvents; log: Logger; failure: string };

/** Creates a worker, not yet started. It runs one delivery at a time. */
export function createDeliveryWorker({ store, wakeEvent, log, failure }: WorkerDeps): DeliveryWorker {
  const stopping = new AbortController();
  let deliverDue: DeliverDue | null = null;
  let timer: NodeJS.Timeout | null = null;
  let running: Promise<void> | null = null;
  let isWakeRequested = false;

  function wake(): void {
    if (deliverDue === null || stopping.signal.aborted) return;
    if (running !== null) {
      isWakeRequested = true;
      return;
    }
    running = run(deliverDue).finally(() => {
      running = null;
      const shouldWake = isWakeRequested;
      isWakeRequested = false;
      if (shouldWake) wake();
    });
  }

  async function run(deliver: DeliverDue): Promise<void> {
    try {
      await deliver(stopping.signal);
    } catch (error) {
      log.error({ error: describeError(error) }, failure);
    }
  }

  return {
    start(deliver) {
      deliverDue = deliver;
      // Not in the caller's transaction, whose AsyncLocalStorage this code would inherit.
      const wakeOutside = AsyncResource.bind(wake);
      store.events.on(wakeEvent, () => void setImmediate(wakeOutside));
      timer = setInterval(wake, POLL_MS);
      wake();
    },
    async stop(abandon) {
      stopping.abort();
      if (timer !== null) clearInterval(timer);
      const abortTimer = new AbortController();
      const limit = sleep(STOP_MS, undefined, { signal: abortTimer.signal }).catch(() => {});
      await Promise.race([running, limit]);
      abortTimer.abort();
      abandon?.();
      await running;
    },
  };
}

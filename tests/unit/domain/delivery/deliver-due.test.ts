import { describe, expect, it, onTestFinished, vi } from "vitest";
import { deliverDue, nextAttemptAt } from "#app/domain/delivery/deliver-due.server.ts";
import { createDeliveryWorker } from "#app/domain/delivery/worker.server.ts";
import { withStore } from "#tests/support/databases.ts";
import { fixedClock, holdCalls, recordingLog } from "#tests/unit/domain/fixtures.ts";

/** Creates a queue of numbered rows in memory, which leave it when they are claimed. */
function queueOf(count: number, deliver: (row: string) => Promise<boolean> = async () => true) {
  const due = Array.from({ length: count }, (_, index) => String(index));
  const claims: string[][] = [];
  return {
    claims,
    queue: {
      ...{ clock: fixedClock(), batchSize: 2, claimMs: 60_000, deliver },
      listDueIds: async ({ limit }: { limit: number }) => due.slice(0, limit),
      async claim({ ids }: { ids: readonly string[] }) {
        claims.push([...ids]);
        return due.splice(0, ids.length);
      },
    },
  };
}

describe("the delivery of what is due", () => {
  it("takes batches until nothing is due, and counts what was delivered", async () => {
    const { queue, claims } = queueOf(5, async (row) => row !== "3");
    expect(await deliverDue(queue)).toBe(4);
    expect(claims).toEqual([["0", "1"], ["2", "3"], ["4"]]);
  });

  it("ends after the current batch when the process stops", async () => {
    const stopping = new AbortController();
    const { queue, claims } = queueOf(5, async () => {
      stopping.abort();
      return true;
    });
    expect(await deliverDue(queue, stopping.signal)).toBe(2);
    expect(claims).toEqual([["0", "1"]]);
  });

  it("finishes the other rows of a batch before it reports the error of one", async () => {
    const { pass, release } = holdCalls();
    const finished: string[] = [];
    const { queue } = queueOf(2, async (row) => {
      if (row === "0") throw new Error("the database is gone");
      await pass();
      finished.push(row);
      return true;
    });
    const delivery = deliverDue(queue);
    release();
    await expect(delivery).rejects.toThrow("the database is gone");
    expect(finished).toEqual(["1"]);
  });

  it("waits longer after each attempt, and the last delay after all further ones", () => {
    const now = new Date(0);
    const seconds = [1, 2, 3, 9].map((attempts) => nextAttemptAt(now, attempts, [10, 60]).getTime() / 1000);
    expect(seconds).toEqual([10, 60, 60, 60]);
  });
});

describe("the worker of a queue", () => {
  /** Starts a worker whose deliveries wait until `release`; `deliver` counts them. */
  async function started(deliver: () => Promise<unknown>) {
    const store = await withStore("sqlite");
    const { log, lines } = recordingLog();
    const worker = createDeliveryWorker({ store, wakeEvent: "mail queued", log, failure: "mails failed" });
    onTestFinished(() => worker.stop());
    worker.start(deliver);
    return { worker, lines, wake: () => store.events.emit("mail queued") };
  }

  it("runs one delivery at a time, and once more if it was woken meanwhile", async () => {
    const { pass, release } = holdCalls();
    const deliver = vi.fn(pass);
    const { wake } = await started(deliver);
    for (let times = 0; times < 3; times += 1) wake();
    // The worker wakes after the code that woke it.
    await new Promise((done) => setImmediate(done));
    expect(deliver).toHaveBeenCalledTimes(1);
    release();
    await vi.waitFor(() => expect(deliver).toHaveBeenCalledTimes(2));
  });

  it("logs an error and continues", async () => {
    const deliver = vi.fn(async () => {});
    deliver.mockRejectedValueOnce(new Error("the database is gone"));
    const { wake, lines } = await started(deliver);
    await vi.waitFor(() => expect(lines.join()).toContain("mails failed"));
    wake();
    await vi.waitFor(() => expect(deliver).toHaveBeenCalledTimes(2));
  });

  it("finishes the current delivery when it stops, and begins no other", async () => {
    const { pass, release } = holdCalls();
    const deliver = vi.fn(pass);
    const { worker, wake } = await started(deliver);
    wake();
    await new Promise((done) => setImmediate(done));
    const stopped = worker.stop();
    release();
    await stopped;
    wake();
    await new Promise((done) => setImmediate(done));
    expect(deliver).toHaveBeenCalledTimes(1);
  });
});

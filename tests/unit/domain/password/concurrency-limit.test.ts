import { expect, it } from "vitest";
import { hasCode } from "#app/domain/base/errors.ts";
import { type Caller, createConcurrencyLimit } from "#app/domain/password/concurrency-limit.server.ts";

it("jobs run up to the concurrency limit, in the order they came", async () => {
  const runLimited = createConcurrencyLimit({ concurrency: 2, queueLimit: 10 });
  const started: number[] = [];
  const ends = new Map<number, () => void>();
  const jobs = [0, 1, 2, 3].map((number) =>
    runLimited(async () => {
      started.push(number);
      await new Promise<void>((resolve) => ends.set(number, resolve));
    }),
  );
  await settle();
  expect(started).toEqual([0, 1]);
  ends.get(1)?.();
  await settle();
  expect(started).toEqual([0, 1, 2]);
  ends.get(0)?.();
  ends.get(2)?.();
  await settle();
  expect(started).toEqual([0, 1, 2, 3]);
  ends.get(3)?.();
  await Promise.all(jobs);
});

it("a failing job releases its slot", async () => {
  const runLimited = createConcurrencyLimit({ concurrency: 1, queueLimit: 0 });
  await expect(runLimited(() => Promise.reject(new Error("broken")))).rejects.toThrow("broken");
  expect(await runLimited(async () => "served")).toBe("served");
});

it("a new job is refused if the queue is full", async () => {
  const runLimited = createConcurrencyLimit({ concurrency: 1, queueLimit: 0 });
  const first = runLimited(settle);
  await expect(runLimited(settle)).rejects.toSatisfy((error) => hasCode(error, "overloaded"));
  await first;
});

it("at most two jobs of one account wait, whatever address they come from", async () => {
  const { wait, refused } = busyQueue(10);
  const jobs = [wait({ account: "anna", address: "a" }), wait({ account: "anna", address: "b" })];
  await refused(wait({ account: "anna", address: "c" }));
  jobs.push(wait({ account: "ben", address: "a" }));
  await Promise.all(jobs);
});

it("an address may fill an unused queue, and is evicted down to two places for others", async () => {
  const { wait, refused } = busyQueue(4);
  const crowd = [1, 2, 3, 4].map((number) => wait({ account: `crowd-${number}`, address: "crowd" }));
  await refused(wait({ account: "crowd-5", address: "crowd" }));
  const other = [wait({ account: "anna", address: "a" }), wait({ account: "ben", address: "a" })];
  await refused(crowd[3]);
  await refused(crowd[2]);
  await refused(wait({ account: "carl", address: "c" }));
  await Promise.all([crowd[0], crowd[1], ...other]);
});

/** Creates a queue with concurrency 1 whose first job runs until all others have been added. */
function busyQueue(queueLimit: number) {
  const runLimited = createConcurrencyLimit({ concurrency: 1, queueLimit });
  void runLimited(settle);
  return {
    wait: (caller: Caller) => {
      const job = runLimited(settle, caller);
      job.catch(() => {});
      return job;
    },
    refused: (job: Promise<void> | undefined) => expect(job).rejects.toSatisfy((error) => hasCode(error, "overloaded")),
  };
}

function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

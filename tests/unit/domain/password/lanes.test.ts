import { expect, it } from "vitest";
import { hasCode } from "#app/domain/errors.ts";
import { createLanes } from "#app/domain/password/lanes.server.ts";

it("jobs run at most one per lane, in the order they came", async () => {
  const inLane = createLanes({ lanes: 2, queueLimit: 10 });
  const started: number[] = [];
  const ends = new Map<number, () => void>();
  const jobs = [0, 1, 2, 3].map((number) =>
    inLane(async () => {
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

it("a job that fails frees its lane", async () => {
  const inLane = createLanes({ lanes: 1, queueLimit: 0 });
  await expect(inLane(() => Promise.reject(new Error("broken")))).rejects.toThrow("broken");
  expect(await inLane(async () => "served")).toBe("served");
});

it("without room to wait a newcomer is turned away", async () => {
  const inLane = createLanes({ lanes: 1, queueLimit: 0 });
  const first = inLane(settle);
  await expect(inLane(settle)).rejects.toSatisfy((error) => hasCode(error, "overloaded"));
  await first;
});

function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

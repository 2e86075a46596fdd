import { channel } from "node:diagnostics_channel";

/** Name of the diagnostics channel. */
export const CLEAN_UP_CHANNEL = "gatehouse:clean-up";

/** A removed batch. `heldMs`: longest time that one of its statements blocked other writers (0 on PostgreSQL). */
export type RemovedBatch = { rows: number; heldMs: number };

const cleanUpChannel = channel(CLEAN_UP_CHANNEL);

/** Publishes that a batch was removed. */
export function publishBatch(batch: RemovedBatch): void {
  if (cleanUpChannel.hasSubscribers) cleanUpChannel.publish(batch);
}

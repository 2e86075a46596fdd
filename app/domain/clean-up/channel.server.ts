import { channel } from "node:diagnostics_channel";

/** The channel's name, for whoever listens. */
export const CLEAN_UP_CHANNEL = "gatehouse:clean-up";

/** One batch of rows that were removed, and for how long that kept the others from the database. */
export type ToldBatch = { rows: number; heldMs: number };

const told = channel(CLEAN_UP_CHANNEL);

/** Tells whoever listens of a batch. Costs nothing while nobody does. */
export function tellBatch(batch: ToldBatch): void {
  if (told.hasSubscribers) told.publish(batch);
}

import { channel } from "node:diagnostics_channel";

/** The channel's name, for whoever listens. */
export const HASH_CHANNEL = "gatehouse:password-hash";

/**
 * What becomes of one hash, which `job` stands for: it may have to wait, then it begins and ends; or it is refused,
 * because too many wait already.
 */
export type ToldHash = { job: object; phase: "waits" | "begins" | "ends" | "refused" };

// A channel of the process: the program and the pages are two bundles, each with its own copy of this module.
const told = channel(HASH_CHANNEL);

/** Tells whoever listens how a hash fares. Costs nothing while nobody does. */
export function tellHash(job: ToldHash["job"], phase: ToldHash["phase"]): void {
  if (told.hasSubscribers) told.publish({ job, phase } satisfies ToldHash);
}

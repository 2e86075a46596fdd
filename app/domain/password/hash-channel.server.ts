import { channel } from "node:diagnostics_channel";

/** Name of the diagnostics channel. */
export const HASH_CHANNEL = "gatehouse:password-hash";

/** Message about the hash `job`: "waits" (if queued), "begins" and "ends"; or "refused" because of an overload. */
export type HashMessage = { job: object; phase: "waits" | "begins" | "ends" | "refused" };

// A process-wide channel, because the server and the pages are two bundles with a copy of this module each.
const hashChannel = channel(HASH_CHANNEL);

/** Publishes the phase of a hash to subscribers of the channel. */
export function publishHash(job: HashMessage["job"], phase: HashMessage["phase"]): void {
  if (hashChannel.hasSubscribers) hashChannel.publish({ job, phase } satisfies HashMessage);
}

import { EventEmitter } from "node:events";
import type { AuditOutcome } from "#app/db/schema.server.ts";
import type { MailStage } from "#app/mail/problem.server.ts";
import type { AuditEventType } from "./events.ts";

/** A recorded audit event, without personal data. */
export type CountedEvent = { type: AuditEventType; outcome: AuditOutcome; reason: string | null };

/** A phase of the hash `job`: "waits" (if queued), "begins" and "ends"; or "refused" because of an overload. */
export type HashPhase = { job: object; phase: "waits" | "begins" | "ends" | "refused" };

/** A batch of removed rows. `heldMs`: longest time that one of its statements blocked other writers (0 on PostgreSQL). */
export type RemovedBatch = { rows: number; heldMs: number };

/** Emits what metrics count and measure. Listeners run synchronously and must not throw. */
export const instrumentation = new EventEmitter<{
  "audit event": [CountedEvent];
  "password hash": [HashPhase];
  /** A nightly backup. */
  backup: [{ ok: boolean }];
  /** An attempt to deliver a mail: "sent", or the stage at which it failed. */
  "mail attempt": [{ result: "sent" | MailStage }];
  "clean-up batch": [RemovedBatch];
  /** A trusted proxy named a client address that is no IP address. */
  "unreadable client address": [];
}>();

DROP INDEX `backchannel_logouts_due`;--> statement-breakpoint
CREATE INDEX `backchannel_logouts_sent` ON `backchannel_logouts` (`sent_at`) WHERE "backchannel_logouts"."sent_at" is not null;--> statement-breakpoint
CREATE INDEX `backchannel_logouts_failed` ON `backchannel_logouts` (`failed_at`) WHERE "backchannel_logouts"."failed_at" is not null;--> statement-breakpoint
CREATE INDEX `backchannel_logouts_due` ON `backchannel_logouts` (`next_attempt_at`) WHERE "backchannel_logouts"."next_attempt_at" is not null;
PRAGMA foreign_keys=OFF;--> statement-breakpoint
CREATE TABLE `__new_backchannel_logouts` (
	`id` text PRIMARY KEY NOT NULL,
	`client_id` text NOT NULL,
	`removed_client` text,
	`user_id` text NOT NULL,
	`sid` text NOT NULL,
	`attempts` integer DEFAULT 0 NOT NULL,
	`next_attempt_at` integer,
	`claimed_until` integer,
	`sent_at` integer,
	`failed_at` integer,
	`last_error` text,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
INSERT INTO `__new_backchannel_logouts`("id", "client_id", "user_id", "sid", "attempts", "next_attempt_at", "claimed_until", "sent_at", "failed_at", "last_error", "created_at") SELECT "id", "client_id", "user_id", "sid", "attempts", "next_attempt_at", "claimed_until", "sent_at", "failed_at", "last_error", "created_at" FROM `backchannel_logouts`;--> statement-breakpoint
DROP TABLE `backchannel_logouts`;--> statement-breakpoint
ALTER TABLE `__new_backchannel_logouts` RENAME TO `backchannel_logouts`;--> statement-breakpoint
PRAGMA foreign_keys=ON;--> statement-breakpoint
CREATE INDEX `backchannel_logouts_due` ON `backchannel_logouts` (`next_attempt_at`) WHERE "backchannel_logouts"."next_attempt_at" is not null;--> statement-breakpoint
CREATE INDEX `backchannel_logouts_sent` ON `backchannel_logouts` (`sent_at`) WHERE "backchannel_logouts"."sent_at" is not null;--> statement-breakpoint
CREATE INDEX `backchannel_logouts_failed` ON `backchannel_logouts` (`failed_at`) WHERE "backchannel_logouts"."failed_at" is not null;
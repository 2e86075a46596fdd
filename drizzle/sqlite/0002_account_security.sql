CREATE TABLE `backchannel_logouts` (
	`id` text PRIMARY KEY NOT NULL,
	`client_id` text NOT NULL,
	`user_id` text NOT NULL,
	`sid` text NOT NULL,
	`attempts` integer DEFAULT 0 NOT NULL,
	`next_attempt_at` integer,
	`claimed_until` integer,
	`sent_at` integer,
	`failed_at` integer,
	`last_error` text,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`client_id`) REFERENCES `clients`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `backchannel_logouts_due` ON `backchannel_logouts` (`next_attempt_at`);--> statement-breakpoint
ALTER TABLE `clients` ADD `refresh_leeway` integer DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE `oidc_records` ADD `destroyed_at` integer;--> statement-breakpoint
ALTER TABLE `oidc_records` ADD `sealed_successor` text;--> statement-breakpoint
ALTER TABLE `users` ADD `password_proven_at` integer;--> statement-breakpoint
ALTER TABLE `users` ADD `password_reset_unseen` integer DEFAULT false NOT NULL;
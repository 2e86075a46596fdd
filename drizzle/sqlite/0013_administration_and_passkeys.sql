CREATE TABLE `help_links` (
	`id` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`kind` text NOT NULL,
	`generation` integer NOT NULL,
	`token_hash` text NOT NULL,
	`words_hash` text NOT NULL,
	`created_by_id` text,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`used_at` integer,
	`withdrawn_at` integer,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`created_by_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE set null
);
--> statement-breakpoint
CREATE UNIQUE INDEX `help_links_token_hash_unique` ON `help_links` (`token_hash`);--> statement-breakpoint
CREATE INDEX `help_links_user` ON `help_links` (`user_id`,`created_at`);--> statement-breakpoint
CREATE TABLE `reserved_usernames` (
	`username_canonical` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`reserved_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `user_roles` (
	`user_id` text PRIMARY KEY NOT NULL,
	`role` text NOT NULL,
	`office_id` text,
	`granted_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`office_id`) REFERENCES `groups`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `user_roles_office` ON `user_roles` (`office_id`);--> statement-breakpoint
ALTER TABLE `audit_events` ADD `actor_id` text;--> statement-breakpoint
CREATE INDEX `audit_events_actor` ON `audit_events` (`actor_id`,`sequence`);--> statement-breakpoint
ALTER TABLE `users` ADD `sort_name` text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE `users` ADD `search_text` text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE `users` ADD `last_signed_in_at` integer;--> statement-breakpoint
ALTER TABLE `users` ADD `last_day` text;--> statement-breakpoint
ALTER TABLE `users` ADD `block_reason` text;--> statement-breakpoint
ALTER TABLE `users` ADD `passkey_offer_after` integer;--> statement-breakpoint
CREATE INDEX `users_sort_name` ON `users` (`sort_name`,`id`);--> statement-breakpoint
CREATE INDEX `users_last_day` ON `users` (`last_day`);--> statement-breakpoint
ALTER TABLE `webauthn_credentials` ADD `is_passkey` integer DEFAULT false NOT NULL;
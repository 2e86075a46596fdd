CREATE TABLE `remembered_devices` (
	`id` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`browser_hash` text NOT NULL,
	`token_hash` text NOT NULL,
	`generation` integer NOT NULL,
	`user_agent` text NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `remembered_devices_browser` ON `remembered_devices` (`user_id`,`browser_hash`);
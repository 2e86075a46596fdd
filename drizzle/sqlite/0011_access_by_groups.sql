CREATE TABLE `client_groups` (
	`client_id` text NOT NULL,
	`group_id` text NOT NULL,
	PRIMARY KEY(`client_id`, `group_id`),
	FOREIGN KEY (`client_id`) REFERENCES `clients`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`group_id`) REFERENCES `groups`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `client_groups_group` ON `client_groups` (`group_id`);--> statement-breakpoint
CREATE TABLE `client_logos` (
	`client_id` text PRIMARY KEY NOT NULL,
	`media_type` text NOT NULL,
	`content` text NOT NULL,
	`content_hash` text NOT NULL,
	FOREIGN KEY (`client_id`) REFERENCES `clients`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `group_members` (
	`user_id` text NOT NULL,
	`group_id` text NOT NULL,
	PRIMARY KEY(`user_id`, `group_id`),
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`group_id`) REFERENCES `groups`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `group_members_group` ON `group_members` (`group_id`);--> statement-breakpoint
ALTER TABLE `clients` ADD `access` text DEFAULT 'everyone' NOT NULL;--> statement-breakpoint
ALTER TABLE `clients` ADD `require_mfa` integer DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE `groups` ADD `is_default` integer DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE `groups` ADD `description` text;--> statement-breakpoint
ALTER TABLE `groups` ADD `contact` text;--> statement-breakpoint
ALTER TABLE `users` ADD `given_name` text;--> statement-breakpoint
ALTER TABLE `users` ADD `family_name` text;
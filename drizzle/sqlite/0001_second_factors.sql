ALTER TABLE `one_time_tokens` ADD `slot` text;--> statement-breakpoint
CREATE UNIQUE INDEX `one_time_tokens_slot` ON `one_time_tokens` (`kind`,`slot`);--> statement-breakpoint
ALTER TABLE `totp_credentials` ADD `wrong_steps` text DEFAULT '[]' NOT NULL;
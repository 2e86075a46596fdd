DROP INDEX `users_sort_name`;--> statement-breakpoint
ALTER TABLE `users` ADD `has_factor` integer DEFAULT false NOT NULL;--> statement-breakpoint
UPDATE `users` SET `has_factor` = true WHERE `id` IN (SELECT `user_id` FROM `totp_credentials` UNION SELECT `user_id` FROM `webauthn_credentials`);--> statement-breakpoint
CREATE INDEX `users_list` ON `users` (`sort_name`,`id`,`group_id`,`status`,`has_factor`,`password_set_at`,`last_signed_in_at`,`last_day`,`search_text`);
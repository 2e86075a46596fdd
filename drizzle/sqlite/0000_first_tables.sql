CREATE TABLE `audit_events` (
	`sequence` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`at` integer NOT NULL,
	`type` text NOT NULL,
	`user_id` text,
	`client_id` text,
	`address` text,
	`request_id` text,
	`outcome` text NOT NULL,
	`detail` text NOT NULL,
	`previous_hash` text NOT NULL,
	`hash` text NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `audit_events_hash_unique` ON `audit_events` (`hash`);--> statement-breakpoint
CREATE INDEX `audit_events_at` ON `audit_events` (`at`);--> statement-breakpoint
CREATE INDEX `audit_events_user` ON `audit_events` (`user_id`,`sequence`);--> statement-breakpoint
CREATE TABLE `clients` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`redirect_uris` text NOT NULL,
	`post_logout_redirect_uris` text NOT NULL,
	`scopes` text NOT NULL,
	`first_party` integer DEFAULT false NOT NULL,
	`public` integer DEFAULT false NOT NULL,
	`require_pkce` integer DEFAULT true NOT NULL,
	`auth_method` text NOT NULL,
	`id_token_alg` text DEFAULT 'RS256' NOT NULL,
	`confirm_account` integer DEFAULT false NOT NULL,
	`may_open_settings` integer DEFAULT false NOT NULL,
	`settings_return_uris` text NOT NULL,
	`registration_url` text,
	`reg_hints` text NOT NULL,
	`may_introspect` integer DEFAULT false NOT NULL,
	`backchannel_logout_uri` text,
	`initiate_login_uri` text,
	`client_uri` text,
	`policy_uri` text,
	`response_modes` text,
	`sealed_secret` text,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `consents` (
	`user_id` text NOT NULL,
	`client_id` text NOT NULL,
	`scopes` text NOT NULL,
	`claims` text NOT NULL,
	`granted_at` integer NOT NULL,
	PRIMARY KEY(`user_id`, `client_id`),
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`client_id`) REFERENCES `clients`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `consents_client` ON `consents` (`client_id`);--> statement-breakpoint
CREATE TABLE `external_accounts` (
	`id` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`provider` text NOT NULL,
	`issuer` text NOT NULL,
	`subject` text NOT NULL,
	`group_key` text NOT NULL,
	`name` text,
	`linked_at` integer NOT NULL,
	`last_used_at` integer,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `external_accounts_identity` ON `external_accounts` (`provider`,`issuer`,`subject`,`group_key`);--> statement-breakpoint
CREATE UNIQUE INDEX `external_accounts_user` ON `external_accounts` (`user_id`,`provider`);--> statement-breakpoint
CREATE TABLE `groups` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`require_mfa` integer DEFAULT false NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `groups_name_unique` ON `groups` (`name`);--> statement-breakpoint
CREATE TABLE `instance` (
	`id` integer PRIMARY KEY NOT NULL,
	`epoch` integer NOT NULL,
	`keys_generation` integer NOT NULL,
	`key_fingerprint` text NOT NULL,
	`issuer` text NOT NULL,
	`rp_id` text NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `known_browsers` (
	`user_id` text NOT NULL,
	`browser_hash` text NOT NULL,
	`first_seen_at` integer NOT NULL,
	`last_seen_at` integer NOT NULL,
	PRIMARY KEY(`user_id`, `browser_hash`),
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `mail_outbox` (
	`id` text PRIMARY KEY NOT NULL,
	`kind` text NOT NULL,
	`recipient` text NOT NULL,
	`sealed_message` text NOT NULL,
	`attempts` integer DEFAULT 0 NOT NULL,
	`next_attempt_at` integer,
	`claimed_until` integer,
	`sent_at` integer,
	`failed_at` integer,
	`last_error` text,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `mail_outbox_due` ON `mail_outbox` (`next_attempt_at`);--> statement-breakpoint
CREATE TABLE `manage_chains` (
	`id` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`generation` integer NOT NULL,
	`page_session_hash` text,
	`client_id` text,
	`session_uid` text,
	`return_to_url` text,
	`auth_time` integer,
	`counter` integer NOT NULL,
	`created_at` integer NOT NULL,
	`last_used_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`page_session_hash`) REFERENCES `manage_sessions`(`token_hash`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `manage_chains_user` ON `manage_chains` (`user_id`);--> statement-breakpoint
CREATE INDEX `manage_chains_page_session` ON `manage_chains` (`page_session_hash`);--> statement-breakpoint
CREATE INDEX `manage_chains_session` ON `manage_chains` (`session_uid`);--> statement-breakpoint
CREATE INDEX `manage_chains_expiry` ON `manage_chains` (`expires_at`);--> statement-breakpoint
CREATE TABLE `manage_sessions` (
	`token_hash` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`generation` integer NOT NULL,
	`browser_hash` text NOT NULL,
	`client_id` text,
	`session_uid` text,
	`return_to_url` text,
	`auth_time` integer,
	`created_at` integer NOT NULL,
	`last_used_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `manage_sessions_user` ON `manage_sessions` (`user_id`);--> statement-breakpoint
CREATE INDEX `manage_sessions_session` ON `manage_sessions` (`session_uid`);--> statement-breakpoint
CREATE INDEX `manage_sessions_expiry` ON `manage_sessions` (`expires_at`);--> statement-breakpoint
CREATE TABLE `oidc_records` (
	`model` text NOT NULL,
	`id` text NOT NULL,
	`payload` text NOT NULL,
	`grant_id` text,
	`account_id` text,
	`client_id` text,
	`user_code` text,
	`uid` text,
	`expires_at` integer,
	`consumed_at` integer,
	PRIMARY KEY(`model`, `id`)
);
--> statement-breakpoint
CREATE INDEX `oidc_records_grant` ON `oidc_records` (`grant_id`) WHERE "oidc_records"."grant_id" is not null;--> statement-breakpoint
CREATE INDEX `oidc_records_account` ON `oidc_records` (`account_id`) WHERE "oidc_records"."account_id" is not null;--> statement-breakpoint
CREATE INDEX `oidc_records_uid` ON `oidc_records` (`uid`) WHERE "oidc_records"."uid" is not null;--> statement-breakpoint
CREATE INDEX `oidc_records_user_code` ON `oidc_records` (`user_code`) WHERE "oidc_records"."user_code" is not null;--> statement-breakpoint
CREATE INDEX `oidc_records_expiry` ON `oidc_records` (`expires_at`) WHERE "oidc_records"."expires_at" is not null;--> statement-breakpoint
CREATE TABLE `one_time_tokens` (
	`token_hash` text PRIMARY KEY NOT NULL,
	`kind` text NOT NULL,
	`user_id` text,
	`generation` integer,
	`browser_hash` text,
	`client_id` text,
	`payload` text NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`used_at` integer,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `one_time_tokens_user` ON `one_time_tokens` (`user_id`,`kind`);--> statement-breakpoint
CREATE INDEX `one_time_tokens_expiry` ON `one_time_tokens` (`expires_at`);--> statement-breakpoint
CREATE TABLE `rate_limits` (
	`key` text PRIMARY KEY NOT NULL,
	`points` integer NOT NULL,
	`expires_at` integer
);
--> statement-breakpoint
CREATE INDEX `rate_limits_expiry` ON `rate_limits` (`expires_at`);--> statement-breakpoint
CREATE TABLE `recovery_codes` (
	`user_id` text NOT NULL,
	`code_hash` text NOT NULL,
	`created_at` integer NOT NULL,
	`used_at` integer,
	PRIMARY KEY(`user_id`, `code_hash`),
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `signing_keys` (
	`kid` text PRIMARY KEY NOT NULL,
	`alg` text NOT NULL,
	`state` text NOT NULL,
	`sealed_jwk` text NOT NULL,
	`created_at` integer NOT NULL,
	`activated_at` integer,
	`retired_at` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `signing_keys_slot` ON `signing_keys` (`alg`,`state`) WHERE "signing_keys"."state" <> 'retired';--> statement-breakpoint
CREATE TABLE `totp_credentials` (
	`user_id` text PRIMARY KEY NOT NULL,
	`sealed_secret` text NOT NULL,
	`last_step` integer NOT NULL,
	`created_at` integer NOT NULL,
	`last_used_at` integer,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `users` (
	`id` text PRIMARY KEY NOT NULL,
	`username` text NOT NULL,
	`username_canonical` text NOT NULL,
	`display_name` text NOT NULL,
	`email` text,
	`email_verified` integer DEFAULT false NOT NULL,
	`phone` text,
	`address` text,
	`picture` text,
	`permissions` text NOT NULL,
	`locale` text,
	`status` text DEFAULT 'active' NOT NULL,
	`generation` integer DEFAULT 1 NOT NULL,
	`password_hash` text,
	`password_set_at` integer,
	`password_set_how` text,
	`group_id` text,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`group_id`) REFERENCES `groups`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `users_username_canonical_unique` ON `users` (`username_canonical`);--> statement-breakpoint
CREATE INDEX `users_group` ON `users` (`group_id`);--> statement-breakpoint
CREATE TABLE `webauthn_credentials` (
	`id` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`rp_id` text NOT NULL,
	`name` text NOT NULL,
	`public_key` text NOT NULL,
	`algorithm` integer NOT NULL,
	`counter` integer NOT NULL,
	`transports` text NOT NULL,
	`aaguid` text,
	`attestation_format` text NOT NULL,
	`backup_eligible` integer NOT NULL,
	`backed_up` integer NOT NULL,
	`flagged_at` integer,
	`created_at` integer NOT NULL,
	`last_used_at` integer,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `webauthn_credentials_user` ON `webauthn_credentials` (`user_id`);
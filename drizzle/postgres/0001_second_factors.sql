ALTER TABLE "one_time_tokens" ADD COLUMN "slot" text;--> statement-breakpoint
ALTER TABLE "totp_credentials" ADD COLUMN "wrong_steps" json DEFAULT '[]'::json NOT NULL;--> statement-breakpoint
CREATE UNIQUE INDEX "one_time_tokens_slot" ON "one_time_tokens" USING btree ("kind","slot");
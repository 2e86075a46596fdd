DROP INDEX "users_email";--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "email_canonical" text;--> statement-breakpoint
UPDATE "users" SET "email_canonical" = lower("email");--> statement-breakpoint
CREATE INDEX "users_email" ON "users" USING btree ("email_canonical");
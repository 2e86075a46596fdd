CREATE TABLE "backchannel_logouts" (
	"id" text PRIMARY KEY NOT NULL,
	"client_id" text NOT NULL,
	"user_id" text NOT NULL,
	"sid" text NOT NULL,
	"attempts" bigint DEFAULT 0 NOT NULL,
	"next_attempt_at" timestamp (3) with time zone,
	"claimed_until" timestamp (3) with time zone,
	"sent_at" timestamp (3) with time zone,
	"failed_at" timestamp (3) with time zone,
	"last_error" text,
	"created_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "clients" ADD COLUMN "refresh_leeway" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "oidc_records" ADD COLUMN "destroyed_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "oidc_records" ADD COLUMN "sealed_successor" text;--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "password_proven_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "password_reset_unseen" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "backchannel_logouts" ADD CONSTRAINT "backchannel_logouts_client_id_clients_id_fk" FOREIGN KEY ("client_id") REFERENCES "public"."clients"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "backchannel_logouts_due" ON "backchannel_logouts" USING btree ("next_attempt_at");
ALTER TABLE "backchannel_logouts" DROP CONSTRAINT "backchannel_logouts_client_id_clients_id_fk";
--> statement-breakpoint
ALTER TABLE "backchannel_logouts" ADD COLUMN "removed_client" json;
DROP INDEX "users_group";--> statement-breakpoint
CREATE INDEX "users_states" ON "users" USING btree ("group_id","status","has_factor","password_set_at","last_signed_in_at","last_day","id");
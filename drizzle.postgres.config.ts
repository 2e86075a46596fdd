import { defineConfig } from "drizzle-kit";

export default defineConfig({
  dialect: "postgresql",
  schema: "./app/db/schema.postgres.server.ts",
  out: "./drizzle/postgres",
});

import { defineConfig } from "drizzle-kit";

export default defineConfig({
  dialect: "postgresql",
  schema: "./app/db/postgres/schema.server.ts",
  out: "./drizzle/postgres",
});

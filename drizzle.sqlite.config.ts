import { defineConfig } from "drizzle-kit";

export default defineConfig({
  dialect: "sqlite",
  schema: "./app/db/schema.sqlite.server.ts",
  out: "./drizzle/sqlite",
});

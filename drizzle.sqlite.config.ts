import { defineConfig } from "drizzle-kit";

export default defineConfig({
  dialect: "sqlite",
  schema: "./app/db/sqlite/schema.server.ts",
  out: "./drizzle/sqlite",
});

import { vitePlugin as remix } from "@remix-run/dev";
import { defineConfig } from "vite";
import remixConfig from "./remix.config.js";

// Vitest reads this file too; the Remix plugin has no place in it.
export default defineConfig({
  plugins: process.env.VITEST ? [] : [remix(remixConfig)],
  build: { target: "es2022", assetsInlineLimit: 0 },
});

import { vitePlugin as remix } from "@remix-run/dev";
import { defineConfig, type Rollup } from "vite";
import remixConfig from "./remix.config.js";

// Vitest reads this file too; the Remix plugin has no place in it.
export default defineConfig(({ isSsrBuild }) => ({
  plugins: process.env.VITEST ? [] : [remix(remixConfig)],
  // Each licence once, at the end of its file.
  esbuild: { legalComments: "eof" },
  build: {
    target: "es2022",
    assetsInlineLimit: 0,
    rollupOptions: { output: isSsrBuild ? {} : { manualChunks: chunkOf } },
  },
}));

/**
 * Modules that several pages of the settings share are one file: twenty small ones are larger when compressed. Pages of the
 * login area do not hydrate, so what only they import is in no file.
 */
const chunkOf: Rollup.GetManualChunk = (id, { getModuleInfo }) => {
  // Libraries change less often than pages, and stay cached.
  if (id.includes("/node_modules/")) return "libraries";
  if (!/\/app\/((client|domain|ui)\/|routes\/settings\/[^/]+$)/.test(id)) return undefined;
  return [...importersOf(id, getModuleInfo)].some((importer) => HYDRATED.test(importer)) ? "pages" : undefined;
};

/** Entry points of pages that hydrate. */
const HYDRATED = /\/app\/(root\.tsx|routes\/settings\/)/;

/** All modules that import a module, directly or through others. */
function importersOf(id: string, getModuleInfo: Rollup.GetModuleInfo, found = new Set<string>()): Set<string> {
  for (const importer of getModuleInfo(id)?.importers ?? []) {
    if (found.has(importer)) continue;
    found.add(importer);
    importersOf(importer, getModuleInfo, found);
  }
  return found;
}

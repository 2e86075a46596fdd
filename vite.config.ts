import { vitePlugin as remix } from "@remix-run/dev";
import { defineConfig, type Rollup } from "vite";
import remixConfig from "./remix.config.js";

/** What so many pages of the settings need is one file: twenty small ones weigh more, compressed. */
const SHARED_BY_PAGES = 4;

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

/** Parts of pages by the pages of the settings that need them: those of the login area do not hydrate, and load nothing. */
const chunkOf: Rollup.GetManualChunk = (id, { getModuleInfo }) => {
  // Libraries change less often than pages do, and stay in browsers' memories.
  if (id.includes("/node_modules/")) return "libraries";
  if (!/\/app\/((components|domain|enhance|screens)\/|page-)/.test(id)) return undefined;
  const importers = [...importersOf(id, getModuleInfo)];
  if (importers.some((importer) => importer.endsWith("/app/root.tsx"))) return "pages";
  const names = importers.map((importer) => /\/routes\/manage\/(.*)\.tsx/.exec(importer)?.[1]);
  const pages = [...new Set(names.filter((name) => name !== undefined))].sort();
  if (pages.length === 0) return undefined;
  return pages.length < SHARED_BY_PAGES ? ["page", ...pages].join("-").replaceAll("/", "-") : "pages";
};

/** All modules that load a module, directly or by way of others. */
function importersOf(id: string, getModuleInfo: Rollup.GetModuleInfo, found = new Set<string>()): Set<string> {
  for (const importer of getModuleInfo(id)?.importers ?? []) {
    if (found.has(importer)) continue;
    found.add(importer);
    importersOf(importer, getModuleInfo, found);
  }
  return found;
}

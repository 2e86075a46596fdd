import { vitePlugin as remix } from "@remix-run/dev";
import { defineConfig, type Rollup } from "vite";
import remixConfig from "./remix.config.js";

// Vitest reads this file too and must not load the Remix plugin.
export default defineConfig(({ isSsrBuild }) => ({
  plugins: process.env.VITEST ? [] : [remix(remixConfig)],
  // Licence comments, at the end of each file.
  esbuild: { legalComments: "eof" },
  build: {
    target: "es2022",
    assetsInlineLimit: 0,
    rollupOptions: { output: isSsrBuild ? {} : { manualChunks: chunkOf } },
  },
}));

/**
 * Puts modules that several settings pages share into one chunk, which compresses better than twenty small ones.
 * Modules imported by the login area only are in no chunk, because its pages do not hydrate.
 */
const chunkOf: Rollup.GetManualChunk = (id, { getModuleInfo }) => {
  // Libraries change less often than pages and stay cached.
  if (id.includes("/node_modules/")) return "libraries";
  if (!/\/app\/((client|domain|ui)\/|routes\/settings\/[^/]+$)/.test(id)) return undefined;
  const importers = [...importersOf(id, getModuleInfo)];
  if (importers.some((importer) => ON_EVERY_PAGE.test(importer))) return "pages";
  const names = importers.map((importer) => SETTINGS_PAGE.exec(importer)?.[1]);
  const pages = [...new Set(names.filter((name) => name !== undefined))].sort();
  if (pages.length === 0) return undefined;
  return pages.length < SHARED_BY_PAGES ? ["page", ...pages].join("-").replaceAll("/", "-") : "pages";
};

/** Modules that fewer pages than this share get a file of their own. */
const SHARED_BY_PAGES = 4;

/** Modules that hydrate on every page of the settings. */
const ON_EVERY_PAGE = /\/app\/(root|routes\/settings\/layout)\.tsx/;

/** Route modules of the settings, which hydrate. */
const SETTINGS_PAGE = /\/app\/routes\/settings\/([\w-]+\/[\w-]+)\.tsx/;

/** Returns all modules that import a module, directly or indirectly. */
function importersOf(id: string, getModuleInfo: Rollup.GetModuleInfo, found = new Set<string>()): Set<string> {
  for (const importer of getModuleInfo(id)?.importers ?? []) {
    if (found.has(importer)) continue;
    found.add(importer);
    importersOf(importer, getModuleInfo, found);
  }
  return found;
}

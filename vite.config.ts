import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { vitePlugin as remix } from "@remix-run/dev";
import { defineConfig, type Plugin, type Rollup } from "vite";
import { FALLBACK_LANGUAGE } from "./app/i18n/language.ts";
import { selectSettingsTexts, type TextTree } from "./app/i18n/settings-texts.server.ts";
import remixConfig from "./remix.config.js";

// Vitest reads this file too and must not load the Remix plugin.
export default defineConfig(({ isSsrBuild }) => ({
  plugins: process.env.VITEST ? [] : [remix(remixConfig), settingsTexts()],
  // Licence comments, at the end of each file.
  esbuild: { legalComments: "eof" },
  build: {
    target: "es2022",
    assetsInlineLimit: 0,
    rollupOptions: isSsrBuild ? { external: SHARED_MODULES } : { output: { manualChunks: chunkOf } },
  },
}));

/** Not compiled into the pages, but added by scripts/build.mjs, so that program and pages share one copy of each module. */
const SHARED_MODULES = /^#app\/(?!routes\/).*\.tsx?$/;

/**
 * Loads `locales/<language>/common.json?settings`: the texts of all files of the folder that settings pages need in the
 * browser.
 */
function settingsTexts(): Plugin {
  return {
    name: "settings-texts",
    load(id) {
      const [file, query] = id.split("?");
      if (query !== "settings" || !file) return null;
      const folder = dirname(file);
      const fallback = join(dirname(folder), FALLBACK_LANGUAGE);
      return JSON.stringify(selectSettingsTexts(readTexts(folder), readTexts(fallback)));
    },
  };
}

/** Reads all texts of a folder of locales/. */
function readTexts(folder: string): TextTree {
  const files = readdirSync(folder).map((name): TextTree => JSON.parse(readFileSync(join(folder, name), "utf8")));
  return Object.assign({}, ...files);
}

/**
 * Puts modules that several settings pages share into one chunk, which compresses better than twenty small ones.
 * Modules imported by the login area only are in no chunk, because its pages do not hydrate.
 */
const chunkOf: Rollup.GetManualChunk = (id, { getModuleInfo }) => {
  // Only the pages with a form need its component, and only those with typed fields need conform.
  if (id.includes("/node_modules/@conform-to/") || id.endsWith("/app/routes/settings/kept-form.tsx")) return "conform";
  if (id.endsWith("/app/routes/settings/form.tsx")) return "form";
  // Libraries change less often than pages and stay cached.
  if (id.includes("/node_modules/")) return "libraries";
  const [, language] = /\/locales\/(\w+)\/common\.json\?settings$/.exec(id) ?? [];
  if (language) return `settings-texts.${language}`;
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

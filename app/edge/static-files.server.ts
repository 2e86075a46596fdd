import { readdirSync } from "node:fs";
import { sep } from "node:path";
import compression from "compression";
import express, { type RequestHandler } from "express";

/** Where the built files are. `publicDir` may contain `assetsDir`. */
export type StaticDirs = { assetsDir: string; publicDir: string };

const GZIP_LEVEL = 6;
const COMPRESS_FROM_BYTES = 1024;

/**
 * Serves the files of the build. Their names are read once, at start: no other request touches the disk, or waits for
 * one of the few threads that do while passwords are being hashed. Pages are not compressed: most fit the first
 * packets as they are, and their length then never depends on what they hold.
 */
export function staticFiles({ assetsDir, publicDir }: StaticDirs): RequestHandler {
  const router = express.Router({ caseSensitive: true, strict: true });
  const compress = compression({ level: GZIP_LEVEL, threshold: COMPRESS_FROM_BYTES });
  const assets = fileNames(assetsDir, "/assets/");
  const files = fileNames(publicDir, "/");
  const options = { index: false, redirect: false, cacheControl: true } as const;

  // The names of the assets hold a hash of what is in them.
  const serveAsset = express.static(assetsDir, { ...options, immutable: true, maxAge: "1y" });
  const serveFile = express.static(publicDir, { ...options, maxAge: "1h" });
  router.use("/assets", (request, response, next) => {
    if (!assets.has(`/assets${request.path}`)) return next();
    compress(request, response, () => serveAsset(request, response, next));
  });
  router.use((request, response, next) => {
    if (!files.has(request.path)) return next();
    compress(request, response, () => serveFile(request, response, next));
  });
  return router;
}

function fileNames(directory: string, prefix: string): ReadonlySet<string> {
  const entries = readdirSync(directory, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return new Set(
    entries.map((entry) => {
      const path = `${entry.parentPath}${sep}${entry.name}`.slice(directory.length);
      return `${prefix}${path.split(sep).filter(Boolean).join("/")}`;
    }),
  );
}

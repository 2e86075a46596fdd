import { readdirSync } from "node:fs";
import { extname, join, relative, sep } from "node:path";
import express, { type Request, type RequestHandler, type Response } from "express";

/** Folders of the built files. `publicDir` may contain `assetsDir`. */
export type StaticDirs = { assetsDir: string; publicDir: string };

const OPTIONS = { index: false, redirect: false } as const;

/**
 * Serves the files of the build. Their names are read once, at start: other requests do not access the disk and do not
 * wait for the thread pool, which password hashing uses.
 *
 * Files with a .gz copy are sent compressed. Pages are not: most fit into the first packets, and the length of an
 * uncompressed page does not leak its content.
 */
export function staticFiles({ assetsDir, publicDir }: StaticDirs): RequestHandler {
  const router = express.Router({ caseSensitive: true, strict: true });
  // Names of assets contain a content hash.
  const assets = express.static(assetsDir, { ...OPTIONS, immutable: true, maxAge: "1y" });
  router.use("/assets", serveKnown(fileNames(assetsDir), assets));
  router.use(serveKnown(fileNames(publicDir), express.static(publicDir, { ...OPTIONS, maxAge: "1h" })));
  return router;
}

function serveKnown(names: ReadonlySet<string>, serve: RequestHandler): RequestHandler {
  return (request, response, next) => {
    const isRead = request.method === "GET" || request.method === "HEAD";
    if (!isRead || !names.has(request.path) || isCopy(request.path)) return next();
    if (names.has(`${request.path}.gz`)) chooseCopy(request, response);
    serve(request, response, next);
  };
}

function isCopy(path: string): boolean {
  return path.endsWith(".gz");
}

function chooseCopy(request: Request, response: Response): void {
  response.vary("Accept-Encoding");
  if (!request.acceptsEncodings("gzip")) return;
  response.type(extname(request.path)).set("Content-Encoding", "gzip");
  request.url = `${request.path}.gz`;
}

/** Returns the URL paths of all files below a folder. */
function fileNames(folder: string): ReadonlySet<string> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return new Set(files.map((file) => `/${relative(folder, join(file.parentPath, file.name)).split(sep).join("/")}`));
}

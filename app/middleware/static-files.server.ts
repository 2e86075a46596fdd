import { readdirSync } from "node:fs";
import { extname, join, relative, sep } from "node:path";
import express, { type Request, type RequestHandler, type Response } from "express";

/** Where the built files are. `publicDir` may contain `assetsDir`. */
export type StaticDirs = { assetsDir: string; publicDir: string };

const OPTIONS = { index: false, redirect: false } as const;

/**
 * Serves the files of the build. Their names are read once, at start: no other request touches the disk, or waits for
 * one of the few threads that do while passwords are being hashed.
 *
 * Files go out compressed where the build has left a copy with .gz. Pages do not: most fit the first packets as they
 * are, and their length then never depends on what stands in them.
 */
export function staticFiles({ assetsDir, publicDir }: StaticDirs): RequestHandler {
  const router = express.Router({ caseSensitive: true, strict: true });
  // The names of the assets hold a hash of what is in them.
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

/** The paths of all files below a folder, as they stand in URLs. */
function fileNames(folder: string): ReadonlySet<string> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return new Set(files.map((file) => `/${relative(folder, join(file.parentPath, file.name)).split(sep).join("/")}`));
}

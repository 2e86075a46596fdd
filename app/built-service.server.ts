import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { ServerBuild } from "@remix-run/node";
import type { Serve } from "#app/cli/service.ts";
import type { Pages } from "#app/middleware/stack.server.ts";

/** Loads the built pages, which are beside this module in build/. */
async function builtPages(): Promise<Pages> {
  const beside = (path: string) => new URL(path, import.meta.url);
  const build: ServerBuild = await import(beside("pages.js").href);
  return {
    build,
    assetsDir: fileURLToPath(beside("client/assets")),
    publicDir: fileURLToPath(beside("client")),
    scriptUrl: readFileSync(beside("client-script.txt"), "utf8").trim(),
  };
}

/** Serves the built pages. Loads the server on demand: the other commands start without Express and Remix. */
export const serveBuiltPages: Serve = async (options) => {
  const { createServe } = await import("./service.server.ts");
  return createServe(builtPages)(options);
};

#!/usr/bin/env node
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { ServerBuild } from "@remix-run/node";
import { runCommandLine } from "#app/cli/program.server.ts";
import type { Serve } from "#app/cli/serve.ts";
import type { Pages } from "#app/middleware/stack.server.ts";

/** Loads the built pages, which are beside this file in build/. */
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

/** Loads the server on demand: the other commands start without Express and Remix. */
const serve: Serve = async (options) => {
  const { createServe } = await import("#app/serve.server.ts");
  return createServe(builtPages)(options);
};

// React, which pages and mails load on demand, reads NODE_ENV once.
process.env.NODE_ENV ??= "production";
process.exitCode = await runCommandLine({ argv: process.argv, env: process.env, serve });

#!/usr/bin/env -S node --max-semi-space-size=8
// The flag limits the young generation for `npm start`, the systemd unit and the demo (decision 076).
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { ServerBuild } from "@remix-run/node";
import type { Serve } from "#app/cli/service.ts";
import type { Pages } from "#app/middleware/stack.server.ts";

/** The oldest major version that better-sqlite3 supports; an older Node crashes in it. */
const OLDEST_NODE = 22;

if (Number(process.versions.node.split(".")[0]) < OLDEST_NODE) {
  console.error(`gatehouse: Node ${OLDEST_NODE} or newer is needed; this is Node ${process.versions.node}.`);
  process.exit(3);
}

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
  const { createServe } = await import("#app/service.server.ts");
  return createServe(builtPages)(options);
};

// React, which pages and mails load on demand, reads NODE_ENV once.
process.env.NODE_ENV ??= "production";
// Imported after the check, because it imports native modules.
const { runCommandLine } = await import("#app/cli/program.server.ts");
process.exitCode = await runCommandLine({ argv: process.argv, env: process.env, serve });

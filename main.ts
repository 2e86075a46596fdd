#!/usr/bin/env -S node --max-semi-space-size=8
// The flag limits the young generation for `npm start`, the systemd unit and the demo (decision 076).
import { serveBuiltPages } from "#app/built-service.server.ts";

/** The oldest major version that better-sqlite3 supports; an older Node crashes in it. */
const OLDEST_NODE = 22;

if (Number(process.versions.node.split(".")[0]) < OLDEST_NODE) {
  console.error(`gatehouse: Node ${OLDEST_NODE} or newer is needed; this is Node ${process.versions.node}.`);
  process.exit(3);
}

// React, which pages and mails load on demand, reads NODE_ENV once.
process.env.NODE_ENV ??= "production";
// Imported after the check, because it imports native modules.
const { runCommandLine } = await import("#app/cli/program.server.ts");
process.exitCode = await runCommandLine({ argv: process.argv, env: process.env, serve: serveBuiltPages });

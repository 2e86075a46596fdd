#!/usr/bin/env -S node --max-semi-space-size=8
// The demo is a program of its own, so that an installation contains none of it.
import { serveBuiltPages } from "#app/built-service.server.ts";
import { addDemoCommand } from "./command.ts";

// React, which pages and mails load on demand, reads NODE_ENV once.
process.env.NODE_ENV ??= "production";
const { runCommandLine } = await import("#app/cli/program.server.ts");
const argv = [...process.argv.slice(0, 2), "demo", ...process.argv.slice(2)];
process.exitCode = await runCommandLine({
  argv,
  env: process.env,
  serve: serveBuiltPages,
  addCommands: addDemoCommand,
});

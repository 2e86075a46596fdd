// @ts-check
// Serves the sources for development: runs the program with Vite, which compiles program and pages in one module graph,
// so that both share one copy of each module. Takes the arguments of the program.
import "./supported-node.mjs";
import { join } from "node:path";
import { ROOT } from "./setup.mjs";

// After the switch to a supported Node.
const { createServer } = await import("vite");
const { buildClientScript } = await import("./build-client-script.mjs");

const vite = await createServer({ root: ROOT, server: { middlewareMode: true }, appType: "custom" });
const { runCommandLine } = await vite.ssrLoadModule("/app/cli/program.server.ts");
const { createServe } = await vite.ssrLoadModule("/app/service.server.ts");

const serve = createServe(async () => ({
  build: () => vite.ssrLoadModule("virtual:remix/server-build"),
  assetsDir: join(ROOT, "build/client/assets"),
  publicDir: join(ROOT, "public"),
  scriptUrl: await buildClientScript(),
  developmentServer: vite.middlewares,
}));

process.exitCode = await runCommandLine({ argv: process.argv, env: process.env, serve });
await vite.close();

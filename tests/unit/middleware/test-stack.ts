import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Writable } from "node:stream";
import { gzipSync } from "node:zlib";
import { pino } from "pino";
import { startServer } from "#app/middleware/listen.server.ts";
import { shutDown } from "#app/middleware/shutdown.server.ts";
import type { AppOptions } from "#app/middleware/stack.server.ts";
import type { EngineRequest } from "#app/oidc/oidc.ts";
import { createStackContext } from "./context.ts";
import { type Pages, pagesBuild } from "./pages-build.ts";
import { type HttpResponse, type Sent, send } from "./send.ts";

export type TestStack = {
  issuer: string;
  port: number;
  /** Sends a request unchanged; the Host is the issuer's by default. */
  send(path: string, sent?: Sent): Promise<HttpResponse>;
  lines(): Record<string, unknown>[];
  close(): Promise<void>;
};

type Options = {
  /** A free port by default. */
  port?: number;
  issuer?: string;
  trustProxy?: string[];
  engine?: (request: IncomingMessage, response: ServerResponse, engineRequest: EngineRequest) => void | Promise<void>;
  pages?: Pages;
  /** Replaces `pages`, for a build that cannot be loaded. */
  build?: AppOptions["build"];
  readiness?: AppOptions["readiness"];
};

/** Starts the whole middleware stack on a real server, with the engine and pages of the test. */
export async function startStack(options: Options = {}): Promise<TestStack> {
  const { engine = respondAsEngine, trustProxy = [], readiness = [] } = options;
  const folder = mkdtempSync(join(tmpdir(), "gatehouse-edge-"));
  const log = createLog();
  const port = options.port ?? (await freePort());
  const issuer = options.issuer ?? `http://localhost:${port}`;
  const handle = async (request: IncomingMessage, response: ServerResponse, engineRequest: EngineRequest) =>
    engine(request, response, engineRequest);
  const context = await createStackContext({ folder, issuer, port, trustProxy, handle, log: log.logger });
  const build = options.build ?? pagesBuild(options.pages);
  const files = {
    ...createPublicFiles(folder),
    scriptUrl: "/assets/client-a1b2c3.js",
  };
  const server = await startServer({ context, build, readiness, ...files }).catch(async (error) => {
    await context.store.close();
    rmSync(folder, { recursive: true });
    throw error;
  });
  return {
    issuer,
    port,
    send: (path, sent) => send({ port, host: new URL(issuer).host }, path, sent),
    lines: log.lines,
    close: async () => {
      await shutDown(context, server);
      rmSync(folder, { recursive: true });
    },
  };
}

function respondAsEngine(_request: IncomingMessage, response: ServerResponse): void {
  response.end("engine");
}

/** Returns a free port, which must be known before the start because the issuer contains it. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === "object" && address ? address.port : 0;
}

export const STYLE_SHEET = "main { color: teal; }\n".repeat(200);

function createPublicFiles(folder: string) {
  const publicDir = join(folder, "client");
  const assetsDir = join(publicDir, "assets");
  mkdirSync(assetsDir, { recursive: true });
  writeFileSync(join(assetsDir, "page-a1b2c3.css"), STYLE_SHEET);
  writeFileSync(join(assetsDir, "page-a1b2c3.css.gz"), gzipSync(STYLE_SHEET));
  writeFileSync(join(publicDir, "favicon.svg"), "<svg/>");
  return { publicDir, assetsDir };
}

function createLog() {
  const chunks: string[] = [];
  const stream = new Writable({
    write(chunk, _encoding, done) {
      chunks.push(String(chunk));
      done();
    },
  });
  const written = () => chunks.join("").split("\n").filter(Boolean);
  return { logger: pino({ level: "debug" }, stream), lines: () => written().map((line) => JSON.parse(line)) };
}

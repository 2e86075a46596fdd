import { once } from "node:events";
import {
  createServer,
  request as httpRequest,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from "node:http";
import { pino } from "pino";
import type { Config } from "#app/config/config.ts";
import { readConfig } from "#app/config/read.server.ts";
import { type BaseContext, createBaseContext, createContext } from "#app/context.server.ts";
import { takeIntoService } from "#app/restore/take-into-service.server.ts";
import { type Browser, createBrowser, type HttpResponse, type RequestOptions } from "#tests/support/browser-jar.ts";
import { type ChildServer, startChildServer } from "#tests/support/child-server.ts";
import { createDatabase, type Dialect } from "#tests/support/databases.ts";
import { freePort } from "#tests/support/free-port.ts";
import { createFixtures, type TestServer } from "#tests/support/server.ts";
import { startSmtp } from "#tests/support/smtp.ts";

/** Two processes on one PostgreSQL database behind an alternating proxy, with the machine's clock. */
export type TwoServers = TestServer & {
  children: readonly [ChildServer, ChildServer];
  /** Returns the number of requests to each process. */
  counts(): readonly number[];
  /** Sends a request to the first or second process, with a browser's cookies. */
  sendTo(index: 0 | 1, browser: Browser, send: SendAt): Promise<HttpResponse>;
  /** Sends all requests to this process until the next call; null alternates again. */
  sendOnlyTo(child: ChildServer | null): void;
  /** Sends one request to both simultaneously, with a browser's cookies. */
  sendToBoth(browser: Browser, send: SendAt): Promise<HttpResponse[]>;
};

/** Sends a request from a browser whose base is one process; `options` are those of a proxy in front of both. */
type SendAt = (at: Browser, options: RequestOptions) => Promise<HttpResponse>;

/** Servers on one database, and the test's own process, which works on it beside them as a command does. */
export type ServersAndCommand = Pick<
  TwoServers,
  "url" | "users" | "parties" | "groups" | "lines" | "browser" | "sendOnlyTo" | "close"
> & { context: BaseContext; children: readonly ChildServer[] };

/** Starts two servers on PostgreSQL, and one on SQLite, because a file has one server process. Others as `startTwoServers`. */
export async function startServersAndCommand(
  dialect: Dialect,
  env: Readonly<Record<string, string>>,
  port: number,
): Promise<ServersAndCommand> {
  if (dialect === "postgres") return startTwoServers(env, port);
  const child = await startChildServer({ env: { LOG_LEVEL: "debug", PORT: String(port), ...env } });
  const context = await createBaseContext({
    config: configOf(child),
    log: pino({ level: "silent" }),
    epochOf: takeIntoService,
  });
  return {
    url: child.url,
    context,
    children: [child],
    ...createFixtures(context),
    lines: () => linesOf(child.output()),
    browser: (language) => createBrowser({ base: child.url, ...(language === undefined ? {} : { language }) }),
    sendOnlyTo() {},
    async close() {
      await context.store.close();
      await child.remove();
    },
  };
}

/** Starts both processes. `env`: settings in addition to the required ones; `port`: the proxy's port. */
export async function startTwoServers(env: Readonly<Record<string, string>> = {}, port?: number): Promise<TwoServers> {
  const database = await createDatabase("postgres");
  const smtp = await startSmtp();
  const reached = port ?? (await freePort());
  const url = `http://localhost:${reached}`;
  if (database.target.dialect !== "postgres") throw new Error("two processes share a PostgreSQL database");
  const own = { ISSUER: url, DATABASE_URL: database.target.url, SMTP_URL: smtp.url, LOG_LEVEL: "debug", ...env };
  // Started simultaneously, on an empty database.
  const children = await Promise.all([startChildServer({ env: own }), startChildServer({ env: own })] as const);
  const context = await createContext({
    config: configOf(children[0]),
    log: pino({ level: "silent" }),
    epochOf: takeIntoService,
  });
  const counts = [0, 0];
  let only: ChildServer | null = null;
  const proxy = await startProxy(reached, children, { counts, only: () => only });
  const host = new URL(url).host;
  // The request as a proxy in front of both servers sends it.
  const sendAt = (child: ChildServer, { jar }: Browser, send: SendAt) =>
    send(createBrowser({ base: child.url, jar }), { headers: { host } });

  return {
    url,
    context,
    children,
    clock: machineClock,
    ...createFixtures(context),
    mails: () => smtp.mails(),
    lines: () => children.flatMap((child) => linesOf(child.output())),
    browser: (language) => createBrowser({ base: url, ...(language === undefined ? {} : { language }) }),
    counts: () => counts,
    sendOnlyTo(child) {
      only = child;
    },
    sendTo: (index, browser, send) => sendAt(children[index], browser, send),
    sendToBoth: (browser, send) => Promise.all(children.map((child) => sendAt(child, browser, send))),
    async close() {
      await context.store.close();
      await Promise.all(children.map((child) => child.remove()));
      proxy.closeAllConnections();
      await Promise.all([new Promise((done) => proxy.close(done)), smtp.close()]);
      await database.remove();
    },
  };
}

const machineClock: TestServer["clock"] = {
  now: () => new Date(),
  set: cannotSetClock,
  advance: cannotSetClock,
};

function cannotSetClock(): never {
  throw new Error("the clock of another process cannot be moved");
}

function configOf({ env }: ChildServer): Config {
  const read = readConfig(env);
  if (!read.ok) throw new Error(`invalid environment of the servers: ${JSON.stringify(read.mistakes)}`);
  return read.config;
}

function linesOf(output: string): Record<string, unknown>[] {
  return output
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line): Record<string, unknown> => JSON.parse(line));
}

async function startProxy(
  port: number,
  children: readonly ChildServer[],
  { counts, only }: { counts: number[]; only(): ChildServer | null },
): Promise<Server> {
  let serverIndex = 0;
  const proxy = createServer((request, response) => {
    const chosen = only();
    serverIndex = chosen === null ? (serverIndex + 1) % children.length : children.indexOf(chosen);
    counts[serverIndex] = (counts[serverIndex] ?? 0) + 1;
    passOn(request, response, children[serverIndex]?.url ?? "");
  });
  proxy.listen(port, "127.0.0.1");
  await once(proxy, "listening");
  return proxy;
}

function passOn(request: IncomingMessage, response: ServerResponse, to: string): void {
  const { method, headers, url } = request;
  const passed = httpRequest(new URL(url ?? "/", to), { method, headers, agent: false }, (reply) => {
    response.writeHead(reply.statusCode ?? 502, reply.rawHeaders);
    reply.pipe(response);
  });
  passed.on("error", () => response.destroy());
  request.pipe(passed);
}

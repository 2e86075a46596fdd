import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Writable } from "node:stream";
import { pathToFileURL } from "node:url";
import type { ServerBuild } from "@remix-run/node";
import { pino } from "pino";
import { afterAll, vi } from "vitest";
import type { Config } from "#app/config/config.ts";
import { readConfig } from "#app/config/read.server.ts";
import { type AppContext, type BaseContext, createContext } from "#app/context.server.ts";
import { addClient } from "#app/domain/client/add.server.ts";
import type { NewClientInput } from "#app/domain/client/new-client.ts";
import { addGroup, type NewGroupInput } from "#app/domain/group/add.server.ts";
import type { PasswordHasher } from "#app/domain/password/hash.server.ts";
import { addUser, type NewUserInput } from "#app/domain/user/add.server.ts";
import { startServer as startToListen } from "#app/middleware/listen.server.ts";
import type { Pages } from "#app/middleware/stack.server.ts";
import { takeIntoService } from "#app/restore/take-into-service.server.ts";
import { type Browser, createBrowser } from "./browser-jar.ts";
import { count } from "./counts.ts";
import { createDatabase, type Dialect, dialects } from "./databases.ts";
import { freePort } from "./free-port.ts";
import { mailsOf, type TestMail } from "./mails.ts";
import { createRelyingParty, type RelyingParty } from "./relying-party.ts";
import { findInDatabase, findInLog, noteSecret, requireNone } from "./sent-secrets.ts";
import { giveSigningKeys, keepSigningKeys } from "./signing-keys.ts";
import { ROOT } from "./source-tree.ts";

/** Default start time of the test clock, a Monday. */
export const TEST_NOW = new Date("2026-03-02T09:00:00.000Z");

/** A password that satisfies all rules. */
export const TEST_PASSWORD = "Ledger-Window-27-Oak";

export type ServerOptions = {
  /** Additional environment variables. */
  env?: Readonly<Record<string, string>>;
  /** Time of the fixed clock; "running" uses the real clock, which a real browser needs. */
  now?: Date | "running";
  /**
   * `every`: hashes at each check of a password, for tests of simultaneous checks, their queue and their times. Default
   * `once`: hashes once per process for each pair of hash and password, and then returns the same result.
   */
  passwordChecks?: "every" | "once";
};

/** A fixed clock that tests can move. Applies to the whole process, libraries included. */
export type TestClock = { now(): Date; set(moment: Date): void; advance(seconds: number): void };

export type TestUser = { id: string; username: string; password: string; displayName: string };

export type TestClient = { clientId: string; clientSecret: string | null; redirectUri: string };

export type TestServer = {
  url: string;
  context: AppContext;
  clock: TestClock;
  users: { create(input?: Partial<NewUserInput>): Promise<TestUser> };
  clients: { create(input?: Partial<NewClientInput>): Promise<TestClient> };
  /** Adds clients and returns them as applications that can send requests. */
  parties: { create(input?: Partial<NewClientInput>): Promise<RelyingParty> };
  groups: { create(input?: Partial<NewGroupInput>): Promise<{ id: string; name: string }> };
  /** Waits until the due mails are delivered and returns all delivered mails, oldest first. */
  mails(): Promise<TestMail[]>;
  /** Log entries of the server. */
  lines(): readonly Record<string, unknown>[];
  /** Creates a browser without cookies and scripts. */
  browser(language?: string): Browser;
  /** Stops the server and removes its database. Throws if log or database contains a secret of this test file. */
  close(): Promise<void>;
};

/** Starts a server for the tests of this file, with `await` at the top of the file, and stops it after them. */
export async function serverOfFile(options?: ServerOptions): Promise<TestServer> {
  const server = await startServer(options);
  afterAll(() => server.close());
  return server;
}

/** Starts the product in this process: built pages, real HTTP, a new database of the project's dialect. */
export async function startServer({
  env = {},
  now = TEST_NOW,
  passwordChecks = "once",
}: ServerOptions = {}): Promise<TestServer> {
  if (now !== "running") vi.useFakeTimers({ toFake: ["Date"], now });
  const folder = mkdtempSync(join(tmpdir(), "gatehouse-server-"));
  const database = await createDatabase(dialectOfProject());
  const log = createLog();
  const config: Config = { ...(await createConfig(database.target, env)), dataDir: folder };
  const created = await createContext({
    config,
    log: log.logger,
    async epochOf(database) {
      const epoch = await takeIntoService(database, { isAlone: true });
      await giveSigningKeys(database);
      return epoch;
    },
  });
  const context = passwordChecks === "every" ? created : { ...created, hasher: verifyOnce(created.hasher) };
  await keepSigningKeys(context);
  await startWithoutPolling(context);
  const server = await startToListen({ context, ...(await readPages()), readiness: [] });
  count("servers");
  return {
    url: config.issuer,
    context,
    clock: createClock(),
    ...createFixtures(context),
    mails: () => mailsOf(context),
    lines: log.lines,
    browser: (language) => createBrowser({ base: config.issuer, ...(language === undefined ? {} : { language }) }),
    async close() {
      await Promise.all([server.close(), context.mail.stop(), context.logouts.stop()]);
      await context.store.close();
      count("signIns", log.lines().filter(isSignIn).length);
      const found = { log: findInLog(log.text()), database: findInFile(config.database) };
      await database.remove();
      rmSync(folder, { recursive: true, force: true });
      if (now !== "running") vi.useRealTimers();
      requireNone("The log of the server", found.log);
      requireNone("The database of the server", found.database);
    },
  };
}

/** Starts the mailer and the sender of logouts, which then work only when a queued row wakes them. */
async function startWithoutPolling({ mail, logouts }: AppContext): Promise<void> {
  const intervals = vi.spyOn(globalThis, "setInterval").mockImplementation(() => setTimeout(() => {}));
  await mail.start();
  logouts.start();
  intervals.mockRestore();
}

function isSignIn({ method, path }: Record<string, unknown>): boolean {
  return method === "POST" && path === "/login/native";
}

function findInFile(database: Config["database"]): string[] {
  return database.dialect === "sqlite" ? findInDatabase(database.file) : [];
}

/** Creates users, clients and groups with the domain functions of the commands, with default values. */
export function createFixtures(context: BaseContext): Pick<TestServer, "users" | "clients" | "parties" | "groups"> {
  let count = 0;
  const quickly = { ...context, hasher: hashOnce(context.hasher) };
  const clients: TestServer["clients"] = {
    async create(input = {}) {
      count += 1;
      const redirectUris = input.redirectUris ?? [`http://localhost:9/app-${count}/callback`];
      const credentials = await addClient(context, {
        id: `app-${count}`,
        name: `Application ${count}`,
        postLogoutRedirectUris: [`http://localhost:9/app-${count}/signed-out`],
        ...input,
        redirectUris,
      });
      noteSecret("client_secret", credentials.clientSecret);
      return { ...credentials, redirectUri: redirectUris[0] ?? "" };
    },
  };
  return {
    clients,
    parties: {
      create: async (input) =>
        createRelyingParty({ issuer: context.config.issuer, client: await clients.create(input) }),
    },
    users: {
      async create(input = {}) {
        count += 1;
        const password = input.password ?? TEST_PASSWORD;
        const user = await addUser(quickly, {
          username: `anna-${count}`,
          displayName: `Anna Berg ${count}`,
          email: `anna-${count}@office.example`,
          ...input,
          password,
        });
        noteSecret("password", password);
        return { id: user.id, username: user.username, displayName: user.displayName, password };
      },
    },
    groups: {
      async create(input = {}) {
        count += 1;
        return addGroup(context, { name: `Group ${count}`, ...input });
      },
    },
  };
}

/** Hashes of passwords in this process. */
const hashes = new Map<string, Promise<string>>();

/** Hashes each password once per process: the users of a test may have the same salt. */
function hashOnce(hasher: PasswordHasher): PasswordHasher {
  return {
    ...hasher,
    hash(password) {
      const known = hashes.get(password);
      if (known) return known;
      const hash = hasher.hash(password);
      hash.catch(() => hashes.delete(password));
      hashes.set(password, hash);
      return hash;
    },
  };
}

/** Results of checks of passwords in this process, by hash and password. */
const checks = new Map<string, ReturnType<PasswordHasher["verify"]>>();

/** Checks each password against each hash once per process: most users of the tests have the same of both. */
export function verifyOnce(hasher: PasswordHasher): PasswordHasher {
  return {
    ...hasher,
    verify(hash, password, caller) {
      const key = JSON.stringify([hash, password]);
      const known = checks.get(key);
      if (known) return known;
      const check = hasher.verify(hash, password, caller);
      check.catch(() => checks.delete(key));
      checks.set(key, check);
      return check;
    },
  };
}

function createClock(): TestClock {
  return {
    now: () => new Date(),
    set: (moment) => void vi.setSystemTime(moment),
    advance: (seconds) => void vi.setSystemTime(Date.now() + seconds * 1000),
  };
}

function dialectOfProject(): Dialect {
  const name = process.env.GATEHOUSE_TEST_DIALECT ?? "sqlite";
  const dialect = dialects.find((one) => one === name);
  if (dialect === undefined) throw new Error(`GATEHOUSE_TEST_DIALECT is not a database: ${name}`);
  return dialect;
}

async function createConfig(database: Config["database"], env: Readonly<Record<string, string>>): Promise<Config> {
  const port = await freePort();
  const read = readConfig({
    ISSUER: `http://localhost:${port}`,
    HOST: "127.0.0.1",
    PORT: String(port),
    DATABASE_URL: database.dialect === "sqlite" ? `sqlite:${database.file}` : database.url,
    SECRET_KEYS: "a secret key that only the tests know",
    APP_URL: "http://localhost:9/app",
    IMPRINT_URL: "http://localhost:9/imprint",
    TIME_ZONE: "UTC",
    LOG_LEVEL: "debug",
    ...env,
  });
  if (read.ok) return read.config;
  throw new Error(`invalid configuration of the test: ${JSON.stringify(read.mistakes)}`);
}

/**
 * Loads the compiled pages. Vitest resolves their `#app` imports to the sources, so they share modules with the test.
 */
async function readPages(): Promise<Pages> {
  const folder = join(ROOT, "build");
  const file = join(folder, "server/index.js");
  if (!existsSync(file)) throw new Error("There are no built pages: npm run build");
  const build: ServerBuild = await import(pathToFileURL(file).href);
  return {
    build,
    assetsDir: join(folder, "client/assets"),
    publicDir: join(folder, "client"),
    scriptUrl: readFileSync(join(folder, "client-script.txt"), "utf8").trim(),
  };
}

function createLog() {
  const lines: Record<string, unknown>[] = [];
  const texts: string[] = [];
  const sink = new Writable({
    write(chunk, _encoding, done) {
      texts.push(String(chunk));
      lines.push(JSON.parse(String(chunk)));
      done();
    },
  });
  return { logger: pino({ level: "debug", base: null }, sink), lines: () => lines, text: () => texts.join("") };
}

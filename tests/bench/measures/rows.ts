import { copyFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { companionFilesOf } from "#app/db/files/companion-files.server.ts";
import { MINUTE_MS } from "#app/durations.ts";
import { freePort } from "#tests/support/free-port.ts";
import { type Finding, type Server, startServer } from "../bench.ts";
import { databaseFileOf, type Gatehouse, gatehouseService, PROGRAM } from "../gatehouse.ts";
import { type Browser, createBrowser, createHttpClient, type HttpClient } from "../http-client.ts";
import { repeat } from "../load.ts";
import { addCopies, usernameOfCopy } from "../many-rows.ts";
import { logProgress, type Setting } from "../run.ts";
import { type BenchUser, refresh, type Service, signIn, signInAgain, type Tokens } from "../sign-in-flow.ts";
import { median, ratios } from "../statistics.ts";

const FEW = 1_000;
const MANY = 1_000_000;
const LEAST = 0.9;
/** Longest stall that rows may add. */
const MOST_MORE_MS = 50;

/** The jobs of a minute have ended after this time. */
const SETTLE_MS = 10_000;

const SCOPE = "openid profile email offline";

/** Calls per turn: the counter of processor time is exact to a few milliseconds. */
const TIMES = 40;

/** Users are visited with this distance, so that they are spread over the whole file; a prime. */
const STRIDE = 7919;

/** A browser with a session, and the current tokens of its user. */
type Visit = { browser: Browser; tokens: Tokens };

/** One of the two installations. */
type Side = {
  server: Server;
  http: HttpClient;
  service: Service;
  nextUser: () => BenchUser;
  /** Returns the visit that was not used for the longest time. */
  nextVisit: () => Visit;
};

type Operation = { what: string; isWhole?: boolean; perform: (side: Side) => Promise<unknown> };

const OPERATIONS: readonly Operation[] = [
  { what: "a sign-in", isWhole: true, perform: ({ http, service, nextUser }) => signIn(http, service, nextUser()) },
  {
    what: "a sign-in with a session",
    perform: ({ http, service, nextVisit }) => signInAgain(http, service, nextVisit().browser),
  },
  {
    what: "a refresh",
    perform: async ({ http, service, nextVisit }) => {
      const visit = nextVisit();
      visit.tokens = await refresh(http, service, visit.tokens.refreshToken);
    },
  },
  {
    what: "a userinfo request",
    perform: async ({ http, service, nextVisit }) => {
      const headers = { authorization: `Bearer ${nextVisit().tokens.accessToken}` };
      const { status, body } = await http.send(new URL("/userinfo", service.issuer), { headers });
      if (status !== 200) throw new Error(`/userinfo responded ${status}: ${body.slice(0, 500)}`);
    },
  },
];

/**
 * Measures the processor time of a server on a SQLite file with 1,000,000 users, compared with one of 1,000, in turns.
 * Each user has a session, a grant, a refresh token, an access token, a known browser and two audit events. Users sign in
 * from all parts of the file. With one client no request waits: the ratio of processor times is that of the throughputs.
 */
export async function measureRows(setting: Setting): Promise<Finding[]> {
  const { effort } = setting.options;
  logProgress("signing in the user whose rows are copied");
  await leaveRowsOfSignIn(setting);
  const few = await startWith(setting, FEW);
  const many = await startWith(setting, MANY);
  logProgress("measuring in turns");
  const findings: Finding[] = [];
  for (const operation of OPERATIONS) {
    const times = operation.isWhole ? effort.countedSignIns : TIMES;
    const costs = await measureInTurns([few, many], operation, { times, turns: effort.countedTurns });
    findings.push(compare(operation.what, costs));
    if (!operation.isWhole) continue;
    findings.push(compare(`${operation.what} without its hash`, await withoutHash(setting, few, costs)));
  }
  findings.push(await measureStalls(few, many));
  for (const { http } of [few, many]) http.close();
  return findings;
}

/** Measures how long the jobs that run every minute block the event loop, without requests. */
async function measureStalls(few: Side, many: Side): Promise<Finding> {
  logProgress("waiting for the jobs of a minute");
  for (const { server } of [few, many]) await server.process.watchStalls();
  await sleep(MINUTE_MS + SETTLE_MS);
  const [ours, reference] = [await many.server.process.longestStallMs(), await few.server.process.longestStallMs()];
  return {
    what: "longest stall of the event loop in a minute without requests, a million rows",
    unit: "ms",
    ours,
    reference: { what: "a thousand rows", value: reference },
    ratio: null,
    target: { text: `≤ ${MOST_MORE_MS} ms more`, met: ours - reference <= MOST_MORE_MS },
    details: {},
  };
}

/** Processor time of the server and response time of a call, in milliseconds. */
type Cost = { processorMs: number; elapsedMs: number };

type Costs = { few: readonly Cost[]; many: readonly Cost[] };

async function measureInTurns(
  [few, many]: readonly [Side, Side],
  operation: Operation,
  { times, turns }: { times: number; turns: number },
): Promise<Costs> {
  const costs = { few: [] as Cost[], many: [] as Cost[] };
  for (const side of [few, many]) await costPerCall(side, operation, times);
  for (let turn = 0; turn < turns; turn += 1) {
    // Neither side always follows the other one.
    if (turn % 2 === 0) costs.few.push(await costPerCall(few, operation, times));
    costs.many.push(await costPerCall(many, operation, times));
    if (turn % 2 === 1) costs.few.push(await costPerCall(few, operation, times));
  }
  return costs;
}

async function costPerCall(side: Side, { perform }: Operation, times: number): Promise<Cost> {
  const before = await side.server.process.processorMs();
  const startedAt = performance.now();
  await repeat({ clients: 1, times }, async () => void (await perform(side)));
  const elapsedMs = (performance.now() - startedAt) / times;
  return { processorMs: ((await side.server.process.processorMs()) - before) / times, elapsedMs };
}

/** The hash costs the same on both sides, and most of the time: without it, more is seen of the database. */
async function withoutHash({ gatehouse, options }: Setting, { server }: Side, { few, many }: Costs): Promise<Costs> {
  const times = options.effort.countedTurns;
  const hashMs =
    (await server.process.hashMs({ stored: gatehouse.storedHash, password: gatehouse.password, times })) / times;
  const reduce = ({ processorMs, elapsedMs }: Cost) => ({ processorMs: processorMs - hashMs, elapsedMs });
  return { few: few.map(reduce), many: many.map(reduce) };
}

function compare(what: string, costs: Costs): Finding {
  const few = costs.few.map(({ processorMs }) => 1000 / processorMs);
  const many = costs.many.map(({ processorMs }) => 1000 / processorMs);
  const ratio = ratios(many, few);
  return {
    what: `${what}, a million rows`,
    unit: "per second of processor time",
    ours: median(many),
    reference: { what: "a thousand rows", value: median(few) },
    ratio,
    target: { text: `≥ ${LEAST}`, met: ratio.median >= LEAST },
    details: { costs },
  };
}

async function leaveRowsOfSignIn({ folder, gatehouse, http }: Setting): Promise<void> {
  const program = { file: PROGRAM, args: ["serve"], env: gatehouse.env, logFile: join(folder, "original.log") };
  const { process } = await startServer(http, gatehouse.url, program);
  const user = { username: gatehouse.usernames[0] ?? "", password: gatehouse.password, address: "10.0.0.1" };
  await signIn(http, gatehouseService(gatehouse), user, { scope: SCOPE });
  await process.stop();
}

/** Starts a server, of the same issuer on another port, on a copy of the database with so many users, and warms it up. */
async function startWith({ folder, gatehouse, options }: Setting, users: number): Promise<Side> {
  logProgress(`adding ${users} users`);
  const own = join(folder, String(users));
  const file = join(own, "gatehouse.sqlite");
  mkdirSync(own);
  copyFileSync(databaseFileOf(gatehouse), file);
  // The server would end all access without this file, as after a restore.
  copyFileSync(companionFilesOf(databaseFileOf(gatehouse)).epoch, companionFilesOf(file).epoch);
  const copies = await addCopies(file, { username: gatehouse.usernames[0] ?? "", users });
  const port = await freePort();
  const http = createHttpClient(options.clients, [port]);
  const env = { ...gatehouse.env, PORT: String(port), DATABASE_URL: `sqlite:${file}` };
  const program = { file: PROGRAM, args: ["serve"], env, logFile: join(own, "gatehouse.log") };
  const server = await startServer(http, gatehouse.url, program);
  const service = gatehouseService(gatehouse);
  const nextUser = createSpreadUsers(gatehouse, copies);
  const visits: Visit[] = [];
  logProgress("warming up");
  await repeat({ clients: options.clients, times: options.effort.warmUpSignIns }, async () => {
    const user = nextUser();
    const browser = createBrowser(http, user.address);
    visits.push({ browser, tokens: await signIn(http, service, user, { browser, scope: SCOPE }) });
  });
  let count = 0;
  const nextVisit = () => {
    count += 1;
    const visit = visits[count % visits.length];
    if (!visit) throw new Error("no user has signed in");
    return visit;
  };
  return { server, http, service, nextUser, nextVisit };
}

function createSpreadUsers({ password }: Gatehouse, copies: number): () => BenchUser {
  let count = 0;
  return () => {
    count += 1;
    const username = usernameOfCopy(1 + ((count * STRIDE) % copies));
    return { username, password, address: `10.${(count >> 16) & 255}.${(count >> 8) & 255}.${count & 255}` };
  };
}

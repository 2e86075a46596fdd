import { join } from "node:path";
import pg from "pg";
import { z } from "zod";
import { freePort } from "#tests/support/free-port.ts";
import { type Finding, type Server, startServer } from "../bench.ts";
import { createUserCycle, gatehouseService, PROGRAM } from "../gatehouse.ts";
import { createHttpClient, type HttpClient } from "../http-client.ts";
import { ratePerSecond, repeat } from "../load.ts";
import { BACKENDS_SQL, processorMsOf } from "../postgres-backends.ts";
import { logProgress, type Setting } from "../run.ts";
import { refresh, signIn } from "../sign-in-flow.ts";
import { median, ratios } from "../statistics.ts";

const MOST = 1.1;

const backends = z.array(z.object({ pid: z.number() }));

/** The servers to which a client sends its requests in turn. */
type Side = { http: HttpClient; servers: readonly Server[] };

type Operation = { what: string; perform: (http: HttpClient) => Promise<unknown> };

/** Completed operations per second, and processor time of each in milliseconds. */
type Sample = { perSecond: number; serverMs: number; databaseMs: number };

/** One turn with all clients, and one with a single client. */
type Turn = { all: Sample; single: Sample };

/**
 * Measures sign-ins and refreshes with two servers on one PostgreSQL, compared with one server, in turns. Each request of
 * a sign-in goes to the other server than the one before. The clients and PostgreSQL use the same processors: on two
 * cores, the processor time of an operation says more than the operations per second. It is measured with one client: two
 * password hashes at the same time slow each other down.
 */
export async function measureProcesses(setting: Setting): Promise<Finding[]> {
  const { options, gatehouse } = setting;
  const [first, second] = [await startOne(setting), await startOne(setting)];
  const one: Side = { http: createHttpClient(options.clients, [first.port]), servers: [first.server] };
  const two: Side = {
    http: createHttpClient(options.clients, [first.port, second.port]),
    servers: [first.server, second.server],
  };
  const database = new pg.Client({ connectionString: gatehouse.env["DATABASE_URL"] });
  await database.connect();
  try {
    logProgress("warming up");
    const operations = await prepareOperations(setting, two.http);
    for (const { perform } of operations) await warmUp(setting, [one, two], perform);
    logProgress("measuring in turns");
    const findings: Finding[] = [];
    for (const { what, perform } of operations) {
      const turns = { one: [] as Turn[], two: [] as Turn[] };
      const { clients, effort } = options;
      const turnOf = async (side: Side): Promise<Turn> => ({
        all: await measureRound(database, side, perform, { clients, seconds: effort.loadSeconds }),
        single: await measureRound(database, side, perform, { clients: 1, seconds: effort.loadSeconds }),
      });
      for (let round = 0; round < effort.rounds; round += 1) {
        // Neither side always follows the other one.
        if (round % 2 === 0) turns.one.push(await turnOf(one));
        turns.two.push(await turnOf(two));
        if (round % 2 === 1) turns.one.push(await turnOf(one));
      }
      findings.push(...compare(what, turns));
    }
    return findings;
  } finally {
    await database.end();
    for (const { http } of [one, two]) http.close();
  }
}

/** Runs an operation until both servers have done as much of it as one server does elsewhere before it is measured. */
async function warmUp({ options }: Setting, sides: readonly Side[], perform: Operation["perform"]): Promise<void> {
  for (const { http, servers } of sides) {
    const times = servers.length * options.effort.warmUpSignIns;
    await repeat({ clients: options.clients, times }, async () => void (await perform(http)));
  }
}

async function prepareOperations({ options, gatehouse }: Setting, via: HttpClient): Promise<Operation[]> {
  const service = gatehouseService(gatehouse);
  const nextUser = createUserCycle(gatehouse);
  const refreshTokens: string[] = [];
  for (let client = 0; client < options.clients; client += 1) {
    const scope = "openid profile email offline";
    refreshTokens.push((await signIn(via, service, nextUser(), { scope })).refreshToken);
  }
  return [
    { what: "sign-ins", perform: (http) => signIn(http, service, nextUser()) },
    {
      what: "refreshes",
      // Tokens are single-use: each client takes another one out of the list.
      perform: async (http) => {
        const refreshToken = refreshTokens.shift() ?? "";
        refreshTokens.push((await refresh(http, service, refreshToken)).refreshToken);
      },
    },
  ];
}

async function measureRound(
  database: pg.Client,
  { http, servers }: Side,
  perform: Operation["perform"],
  load: { clients: number; seconds: number },
): Promise<Sample> {
  const serversMs = async () => {
    const times = await Promise.all(servers.map(({ process }) => process.processorMs()));
    return times.reduce((sum, ms) => sum + ms, 0);
  };
  const before = { servers: await serversMs(), database: await backendTimes(database) };
  let done = 0;
  const perSecond = await ratePerSecond(load, async () => {
    await perform(http);
    done += 1;
  });
  const serverMs = ((await serversMs()) - before.servers) / done;
  // A backend that has ended meanwhile was idle for longer than a round.
  const used = [...(await backendTimes(database))].map(([pid, ms]) => ms - (before.database.get(pid) ?? 0));
  return { perSecond, serverMs, databaseMs: used.reduce((sum, ms) => sum + ms, 0) / done };
}

/** Returns the processor time of PostgreSQL's backends by process id, in milliseconds. */
async function backendTimes(database: pg.Client): Promise<Map<number, number>> {
  const { rows } = await database.query(BACKENDS_SQL);
  return new Map(backends.parse(rows).map(({ pid }) => [pid, processorMsOf(pid)]));
}

function compare(what: string, turns: { one: readonly Turn[]; two: readonly Turn[] }): Finding[] {
  const finding = (name: string, unit: string, pick: (turn: Turn) => number): Finding => {
    const [one, two] = [turns.one.map(pick), turns.two.map(pick)];
    return {
      what: name,
      unit,
      ours: median(two),
      reference: { what: "one server process", value: median(one) },
      ratio: ratios(two, one),
      target: null,
      details: turns,
    };
  };
  const costs = [
    finding(`processor time of the servers, ${what}`, "ms", ({ single }) => single.serverMs),
    finding(`processor time of PostgreSQL, ${what}`, "ms", ({ single }) => single.databaseMs),
  ].map((cost) => ({ ...cost, target: { text: `≤ ${MOST}`, met: (cost.ratio?.median ?? 0) <= MOST } }));
  return [finding(`${what}, two server processes on PostgreSQL`, "per second", ({ all }) => all.perSecond), ...costs];
}

/** Starts a server of the same issuer on another port. */
async function startOne({ folder, gatehouse }: Setting): Promise<{ server: Server; port: number }> {
  const port = await freePort();
  const env = { ...gatehouse.env, PORT: String(port) };
  const program = { file: PROGRAM, args: ["serve"], env, logFile: join(folder, `server-${port}.log`) };
  const http = createHttpClient(1, [port]);
  const server = await startServer(http, gatehouse.url, program);
  http.close();
  return { server, port };
}

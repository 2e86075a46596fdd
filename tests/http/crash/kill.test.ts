import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import Database from "better-sqlite3";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { BaseContext } from "#app/context.server.ts";
import { companionFilesOf } from "#app/db/files/companion-files.server.ts";
import { replaceRecoveryCodes } from "#app/db/repositories/recovery-codes.server.ts";
import { setUserPassword } from "#app/db/repositories/users.server.ts";
import { newRecoveryCodes } from "#app/domain/recovery-code/create.server.ts";
import { addUser } from "#app/domain/user/add.server.ts";
import { createPasswordLink } from "#app/domain/user/links.server.ts";
import { open, typePassword } from "#tests/http/oidc/browser-steps.ts";
import { codeOf } from "#tests/http/oidc/responses.ts";
import { type Installation, startInstallation } from "#tests/http/restore/installation.ts";
import { createBrowser } from "#tests/support/browser-jar.ts";
import { giveTotp, type TestApp } from "#tests/support/factors.ts";
import { readTokens } from "#tests/support/relying-party.ts";
import { TEST_PASSWORD } from "#tests/support/server.ts";
import { databaseOfRun } from "./command.ts";
import { createSeededRandom } from "./seeded-random.ts";
import { administrationWorker, passwordResetWorker, secondFactorWorker, signInWorker, type Worker } from "./workers.ts";

const isPostgres = process.env.GATEHOUSE_TEST_DIALECT === "postgres";
/** Number of kills. On PostgreSQL another process keeps what is committed, so fewer suffice. */
const KILLS = isPostgres ? 10 : 50;
const EMPLOYEES = 3;
/** Upper bounds of the number of responses before a kill, and of the time after the last of them. */
const MOST_ANSWERS = 12;
const MOST_MS = 80;
/** A command closes the database properly; in most rounds none runs, so that the server has to recover. */
const ROUNDS_PER_COMMAND = 3;
/** Four times the limit on an otherwise idle machine. */
const START_MS = 4 * 5_000;
const TIMEOUT_MS = 20 * 60_000;

/** To repeat a run, set GATEHOUSE_TEST_SEED. */
const random = createSeededRandom(Number(process.env.GATEHOUSE_TEST_SEED) || undefined);

let installation: Installation;
let database: Awaited<ReturnType<typeof databaseOfRun>> | null = null;
let testUsers: Staff;

beforeAll(async () => {
  database = isPostgres ? await databaseOfRun() : null;
  installation = await startInstallation(database?.env);
  testUsers = await installation.administer(hire);
}, 240_000);

afterAll(async () => {
  await installation?.close();
  await database?.remove();
});

type Staff = Awaited<ReturnType<typeof hire>>;

/** Creates all users, with the same password and recovery codes because hashing is slow. */
async function hire(context: BaseContext) {
  const { store, hasher, clock } = context;
  const hash = await hasher.hash(TEST_PASSWORD);
  const { codes, codeHashes } = await newRecoveryCodes(context);
  async function add(username: string) {
    const { id } = await addUser(context, { username, displayName: username });
    await setUserPassword(store, id, { hash, how: "cli", at: clock.now() });
    return { id, username };
  }
  const signInUsers: { id: string; username: string }[] = [];
  const resetUsers: { username: string; link: string }[] = [];
  const factorUsers: { username: string; app: TestApp; recoveryCodes: string[] }[] = [];
  for (let count = 0; count < EMPLOYEES; count += 1) signInUsers.push(await add(`employee-${count}`));
  for (let round = 0; round < KILLS; round += 1) {
    const { username } = await add(`forgetful-${round}`);
    resetUsers.push({ username, link: (await createPasswordLink(context, username)).url });
    const user = await add(`careful-${round}`);
    const app = await giveTotp({ context, clock }, user);
    await store.tx((tx) => replaceRecoveryCodes(tx, user.id, { codeHashes, now: clock.now() }));
    factorUsers.push({ username: user.username, app, recoveryCodes: codes.slice(0, 2) });
    await add(`leaver-${round}`);
  }
  return { employees: signInUsers, forgetfuls: resetUsers, carefuls: factorUsers };
}

/** Returns the workers of this round, and a counter of acknowledged changes. */
function workersOf(round: number) {
  let responses = 0;
  const acknowledge = () => {
    responses += 1;
  };
  const deps = { office: installation, acknowledge };
  const workers: Worker[] = testUsers.employees.map((one) => signInWorker(deps, one));
  const resetUser = testUsers.forgetfuls[round];
  const factorUser = testUsers.carefuls[round];
  if (resetUser) workers.push(passwordResetWorker(deps, resetUser));
  if (factorUser) workers.push(secondFactorWorker(deps, factorUser));
  if (round % ROUNDS_PER_COMMAND === 0) workers.push(administrationWorker(deps, `leaver-${round}`));
  return { workers, responses: () => responses };
}

/** Lets the workers run and kills the server at a random moment. */
async function workUntilKilled({ workers, responses }: ReturnType<typeof workersOf>) {
  const goal = 1 + random.below(MOST_ANSWERS);
  const momentMs = random.below(MOST_MS);
  let isKilled = false;
  let failure: unknown = null;
  const working = workers.map((worker) =>
    worker
      .work(() => isKilled)
      .catch((error: unknown) => {
        // Interrupted by the kill, so nothing was acknowledged.
        if (!isKilled) failure ??= error;
      }),
  );
  while (responses() < goal && failure === null) await sleep(1);
  await sleep(momentMs);
  isKilled = true;
  await installation.server.kill();
  await Promise.all(working);
  if (failure !== null) throw failure;
}

async function startAgain(): Promise<number> {
  const startedAt = performance.now();
  // Resolves when /readyz responds 200.
  await installation.server.start();
  return performance.now() - startedAt;
}

function expectIntactFile() {
  if (isPostgres) return;
  const file = new Database(installation.file, { readonly: true });
  try {
    expect(file.pragma("integrity_check", { simple: true })).toBe("ok");
    expect(file.pragma("foreign_key_check")).toEqual([]);
  } finally {
    file.close();
  }
}

async function openPage() {
  const request = installation.party.request();
  const browser = createBrowser({ base: installation.server.url });
  return { browser, request, page: await open(browser, request.url) };
}

async function expectPageWorks({ browser, request, page }: Awaited<ReturnType<typeof openPage>>) {
  const end = await typePassword(browser, page, { username: "employee-0", password: TEST_PASSWORD });
  readTokens(await installation.party.exchange(codeOf(end), request));
}

// Proves requirement 125.
test(
  `a server that is killed at ${KILLS} random moments under load restarts and has lost nothing that it acknowledged`,
  async () => {
    const startMs: number[] = [];
    let changeCount = 0;
    for (let round = 0; round < KILLS; round += 1) {
      const remainingPage = await openPage();
      const work = workersOf(round);
      await workUntilKilled(work);
      startMs.push(await startAgain());
      changeCount += work.responses();
      expectIntactFile();
      await Promise.all(work.workers.map((worker) => worker.check()));
      await expectPageWorks(remainingPage);
    }
    const slowest = Math.round(Math.max(...startMs));
    console.info(`seed ${random.seed}: ${changeCount} answers, ${KILLS} kills, slowest start ${slowest} ms`);
    expect(slowest).toBeLessThan(START_MS);
  },
  TIMEOUT_MS,
);

test("afterwards the log contains no error, and the audit trail is valid, in the database and in the audit file", async () => {
  expect(installation.server.output()).not.toMatch(/"level":(50|60)/);
  expect(installation.server.output()).not.toMatch(/older database/);
  expect(await installation.server.stop()).toBe(0);
  expect(await installation.command("audit", "verify")).toMatchObject({ ok: true });
  if (isPostgres) return;
  const file = new Database(installation.file, { readonly: true });
  const hashes = file.prepare("SELECT hash FROM audit_events ORDER BY hash").pluck().all();
  file.close();
  const lines = readFileSync(companionFilesOf(installation.file).audit, "utf8").split("\n").filter(Boolean);
  // The server and a command may both write the same event.
  const written = new Set(lines.map((line) => String(JSON.parse(line).hash)));
  expect([...written].sort()).toEqual(hashes);
}, 60_000);

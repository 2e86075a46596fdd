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
import { codeOf, open, typePassword } from "#tests/http/oidc/person.ts";
import { type Office, openOffice } from "#tests/http/restore/installation.ts";
import { createBrowser } from "#tests/support/browser-jar.ts";
import { giveTotp, type TestApp } from "#tests/support/factors.ts";
import { readTokens } from "#tests/support/relying-party.ts";
import { TEST_PASSWORD } from "#tests/support/server.ts";
import { databaseOfRun } from "./command.ts";
import { administrator, careful, employee, forgetful, type Worker } from "./people-at-work.ts";
import { createSeededRandom } from "./seeded-random.ts";

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

let office: Office;
let database: Awaited<ReturnType<typeof databaseOfRun>> | null = null;
let staff: Staff;

beforeAll(async () => {
  database = isPostgres ? await databaseOfRun() : null;
  office = await openOffice(database?.env);
  staff = await office.administer(hire);
}, 240_000);

afterAll(async () => {
  await office?.close();
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
  const employees: { id: string; username: string }[] = [];
  const forgetfuls: { username: string; link: string }[] = [];
  const carefuls: { username: string; app: TestApp; recoveryCodes: string[] }[] = [];
  for (let count = 0; count < EMPLOYEES; count += 1) employees.push(await add(`employee-${count}`));
  for (let round = 0; round < KILLS; round += 1) {
    const { username } = await add(`forgetful-${round}`);
    forgetfuls.push({ username, link: (await createPasswordLink(context, username)).url });
    const user = await add(`careful-${round}`);
    const app = await giveTotp({ context, clock }, user);
    await replaceRecoveryCodes(store, user.id, { codeHashes, now: clock.now() });
    carefuls.push({ username: user.username, app, recoveryCodes: codes.slice(0, 2) });
    await add(`leaver-${round}`);
  }
  return { employees, forgetfuls, carefuls };
}

/** Returns the workers of this round, and a counter of acknowledged changes. */
function workersOf(round: number) {
  let answers = 0;
  const acknowledge = () => {
    answers += 1;
  };
  const desk = { office, acknowledge };
  const workers: Worker[] = staff.employees.map((one) => employee(desk, one));
  const oneForgetful = staff.forgetfuls[round];
  const oneCareful = staff.carefuls[round];
  if (oneForgetful) workers.push(forgetful(desk, oneForgetful));
  if (oneCareful) workers.push(careful(desk, oneCareful));
  if (round % ROUNDS_PER_COMMAND === 0) workers.push(administrator(desk, `leaver-${round}`));
  return { workers, answers: () => answers };
}

/** Lets the workers run and kills the server at a random moment. */
async function workUntilKilled({ workers, answers }: ReturnType<typeof workersOf>) {
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
  while (answers() < goal && failure === null) await sleep(1);
  await sleep(momentMs);
  isKilled = true;
  await office.server.kill();
  await Promise.all(working);
  if (failure !== null) throw failure;
}

async function startAgain(): Promise<number> {
  const startedAt = performance.now();
  // Resolves when /readyz responds 200.
  await office.server.start();
  return performance.now() - startedAt;
}

function expectWholeFile() {
  if (isPostgres) return;
  const file = new Database(office.file, { readonly: true });
  try {
    expect(file.pragma("integrity_check", { simple: true })).toBe("ok");
    expect(file.pragma("foreign_key_check")).toEqual([]);
  } finally {
    file.close();
  }
}

async function openPage() {
  const request = office.party.request();
  const browser = createBrowser({ base: office.server.url });
  return { browser, request, page: await open(browser, request.url) };
}

async function expectPageWorks({ browser, request, page }: Awaited<ReturnType<typeof openPage>>) {
  const end = await typePassword(browser, page, { username: "employee-0", password: TEST_PASSWORD });
  readTokens(await office.party.exchange(codeOf(end), request));
}

test(
  `killed at ${KILLS} random moments while people work, a server comes back by itself, and has lost nothing that it has answered`,
  async () => {
    const startMs: number[] = [];
    let acknowledged = 0;
    for (let round = 0; round < KILLS; round += 1) {
      const left = await openPage();
      const work = workersOf(round);
      await workUntilKilled(work);
      startMs.push(await startAgain());
      acknowledged += work.answers();
      expectWholeFile();
      await Promise.all(work.workers.map((worker) => worker.check()));
      await expectPageWorks(left);
    }
    const slowest = Math.round(Math.max(...startMs));
    console.info(`seed ${random.seed}: ${acknowledged} answers, ${KILLS} kills, slowest start ${slowest} ms`);
    expect(slowest).toBeLessThan(START_MS);
  },
  TIMEOUT_MS,
);

test("after all that, the log knows no error, and the audit trail is whole, in the database and beside it", async () => {
  expect(office.server.output()).not.toMatch(/"level":(50|60)/);
  expect(office.server.output()).not.toMatch(/older database/);
  expect(await office.server.stop()).toBe(0);
  expect(await office.command("audit", "verify")).toMatchObject({ ok: true });
  if (isPostgres) return;
  const file = new Database(office.file, { readonly: true });
  const hashes = file.prepare("SELECT hash FROM audit_events ORDER BY hash").pluck().all();
  file.close();
  const lines = readFileSync(companionFilesOf(office.file).audit, "utf8").split("\n").filter(Boolean);
  // The server and a command may both write the same event.
  const written = new Set(lines.map((line) => String(JSON.parse(line).hash)));
  expect([...written].sort()).toEqual(hashes);
}, 60_000);

// Proves requirement 151.
import { setTimeout as sleep } from "node:timers/promises";
import Database from "better-sqlite3";
import { like } from "drizzle-orm";
import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openForm } from "#tests/http/login/open-form.ts";
import { type Installation, startInstallation } from "#tests/http/restore/installation.ts";
import { createBrowser } from "#tests/support/browser-jar.ts";
import { TEST_PASSWORD } from "#tests/support/server.ts";
import { databaseOfRun } from "./command.ts";
import { createSeededRandom } from "./seeded-random.ts";

const isPostgres = process.env.GATEHOUSE_TEST_DIALECT === "postgres";
/** More than the ten attempts of a user name in a quarter of an hour. */
const KILLS = 12;
/** Two attempts of one account wait for a check; others get 503. */
const SIMULTANEOUS = 3;
/** A password check takes 20 to 60 ms. */
const MOST_MS = 80;
/** Time in which all checks end and wait for the held database. */
const CHECKED_MS = 1_000;

/** To repeat a run, set GATEHOUSE_TEST_SEED. */
const random = createSeededRandom(Number(process.env.GATEHOUSE_TEST_SEED) || undefined);

let installation: Installation;
let database: Awaited<ReturnType<typeof databaseOfRun>> | null = null;

beforeAll(async () => {
  database = isPostgres ? await databaseOfRun() : null;
  installation = await startInstallation(database?.env);
  await installation.addUser("anna");
}, 120_000);

afterAll(async () => {
  await installation?.close();
  await database?.remove();
});

/** Keeps the server from recording a success, from another connection; reads go on. Returns the release. */
async function holdRecords(): Promise<() => Promise<void>> {
  if (database === null) {
    const other = new Database(installation.file);
    other.exec("BEGIN IMMEDIATE");
    return async () => void other.close();
  }
  const other = new pg.Client({ connectionString: database.env.DATABASE_URL });
  await other.connect();
  await other.query("BEGIN");
  await other.query("LOCK TABLE known_browsers IN EXCLUSIVE MODE");
  return () => other.end();
}

/** Kills the server at a random moment of the checks, or after them, before a success is recorded. */
async function killDuringSignIn(moment: "checking" | "checked"): Promise<void> {
  const { party, server } = installation;
  const forms = await Promise.all(
    Array.from({ length: SIMULTANEOUS }, () => openForm(createBrowser({ base: server.url }), party.request().url)),
  );
  const release = moment === "checked" ? await holdRecords() : null;
  // Broken connections reject.
  const posted = forms.map((form) => form.post({ username: "anna", password: TEST_PASSWORD }).catch(() => null));
  await sleep(moment === "checked" ? CHECKED_MS : random.below(MOST_MS));
  await server.kill();
  await Promise.all(posted);
  await release?.();
  await server.start();
}

test(`a right password is not throttled after ${KILLS} kills between its check and the record of its success`, async () => {
  for (let round = 0; round < KILLS; round += 1) await killDuringSignIn(round % 2 === 0 ? "checked" : "checking");
  // Mails about new browsers are counted, too, if a sign-in succeeded.
  const counted = await installation.administer(({ store }) =>
    store.q.$count(store.t.rateLimits, like(store.t.rateLimits.key, "sign-in/%")),
  );
  expect([counted, random.seed]).toEqual([0, random.seed]);
  expect(await installation.canSignIn("anna")).toBe(true);
}, 240_000);

// Measures the list at /manage/admin/people with 100,000 people, on SQLite and PostgreSQL: the processor time of one view,
// which is its counts and its rows. Run: node tests/bench/people.ts [sqlite|postgres]. DATABASE_URL_TEST names an empty
// PostgreSQL database; without it, one is started.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { foldedNames } from "#app/db/folded-names.ts";
import { migrateStore } from "#app/db/migrations.server.ts";
import { PEOPLE_FILTERS } from "#app/db/repositories/people.server.ts";
import type { NewUser } from "#app/db/schema.server.ts";
import { openStore, type Store } from "#app/db/store.server.ts";
import type { Administrator } from "#app/domain/administration/administrator.ts";
import { findPeoplePage, type PeopleChoice } from "#app/domain/user/people.server.ts";
import { startPostgres } from "../support/postgres.ts";
import { BACKENDS_SQL, processorMsOf } from "./postgres-backends.ts";

const PEOPLE = 100_000;
const REPEATS = 15;
const NOW = new Date("2026-03-02T09:00:00.000Z");
const DAY_MS = 24 * 60 * 60 * 1000;
/** Rows of one INSERT: SQLite allows 32,766 values in a statement. */
const ROWS_AT_ONCE = 500;

/** A secret that is never opened. */
const SEALED = JSON.parse(`"${"sealed".repeat(30)}"`);

const GIVEN = [
  ...["Anna", "Bente", "Cem", "Deniz", "Elif", "Friederike", "Güler", "Hinrich", "Ida", "Jan-Ole", "Karl", "Lena"],
];
const FAMILY = ["Ahlers", "Brandt", "Christiansen", "Demir", "Eggers", "Falkenberg", "Grünwald", "Haddad", "Jessen"];

const ADMINISTRATOR: Administrator = {
  ...{ userId: "administrator", username: "administrator", generation: 1, role: "administrator", officeId: null },
};
const ALL: PeopleChoice = { search: "", officeId: null, filter: null };

/**
 * People to measure. "usual": half of them in one office; 3 % blocked, 3 % invited, 5 % without a second factor, 2 %
 * leaving, 5 % dormant. "new": after an import, 1 % have signed in and have a second factor.
 */
type Population = "usual" | "new";

const [only] = process.argv.slice(2);
if (only !== "postgres") {
  for (const population of ["usual", "new"] as const) {
    const folder = mkdtempSync(join(tmpdir(), "gatehouse-people-"));
    const store = await openStore({ dialect: "sqlite", file: join(folder, "people.sqlite") });
    await measure(`SQLite, ${population}`, store, population);
    rmSync(folder, { recursive: true });
  }
}
if (only !== "sqlite") {
  for (const population of ["usual", "new"] as const) {
    const server = await startPostgres();
    const url = new URL(server.url);
    // A parallel worker is another process, whose processor time would not be counted.
    url.searchParams.set("options", "-c max_parallel_workers_per_gather=0");
    await measure(`PostgreSQL, ${population}`, await openStore({ dialect: "postgres", url: String(url) }), population);
    await server.stop();
  }
}

async function measure(name: string, store: Store, population: Population): Promise<void> {
  await migrateStore(store);
  await seed(store, population);
  if (store.dialect === "postgres") await vacuum(store);
  console.log(`\n${name}: ${PEOPLE} people, medians of ${REPEATS}, processor time in ms: program + database = both`);
  const helpDesk = (officeId: string): Administrator => ({ ...ADMINISTRATOR, role: "help-desk", officeId });
  await measureChoice("all people", store, ADMINISTRATOR, ALL);
  for (const filter of PEOPLE_FILTERS) await measureChoice(filter, store, ADMINISTRATOR, { ...ALL, filter });
  await measureChoice("office of 5,000", store, ADMINISTRATOR, { ...ALL, officeId: "office-12" });
  await measureChoice("office of 50,000", store, ADMINISTRATOR, { ...ALL, officeId: "office-0" });
  for (const search of ["e", "brandt", "anna", "office.example", "brandt-47", "4711", "anna 4711", "hohnstein"]) {
    await measureChoice(`search "${search}"`, store, ADMINISTRATOR, { ...ALL, search });
  }
  await measureChoice(`no-factor, search "brandt"`, store, ADMINISTRATOR, {
    ...{ search: "brandt", officeId: null, filter: "no-factor" },
  });
  await measureChoice("help desk of 5,000", store, helpDesk("office-12"), ALL);
  await measureChoice("help desk of 50,000", store, helpDesk("office-0"), ALL);
  await measureChoice("help desk of 50,000, no-factor", store, helpDesk("office-0"), { ...ALL, filter: "no-factor" });
  await measureChoice(`help desk of 50,000, search "4711"`, store, helpDesk("office-0"), { ...ALL, search: "4711" });
  await store.close();
}

/** Measures the first page and, if there are several, the middle one and the last one. */
async function measureChoice(what: string, store: Store, administrator: Administrator, choice: PeopleChoice) {
  const deps = { store, clock: { now: () => NOW }, config: { timeZone: "Europe/Berlin" } };
  const view = (page: number) => findPeoplePage(deps, administrator, { ...choice, page });
  const { total, pages } = await view(1);
  await report(`${what} (${total}), first page`, store, () => view(1));
  if (pages > 2) await report(`${what}, middle page`, store, () => view(Math.ceil(pages / 2)));
  if (pages > 1) await report(`${what}, last page`, store, () => view(1_000_000));
}

/** Prints medians of the processor times of this process, which contains SQLite, and of PostgreSQL. */
async function report(what: string, store: Store, work: () => Promise<unknown>): Promise<void> {
  const program: number[] = [];
  const database: number[] = [];
  for (let run = 0; run < 3; run += 1) await work();
  const processes = store.dialect === "postgres" ? await backendsOf(store) : [];
  for (let run = 0; run < REPEATS; run += 1) {
    const atFirst = backendMs(processes);
    const before = process.cpuUsage();
    await work();
    const { user, system } = process.cpuUsage(before);
    program.push((user + system) / 1000);
    database.push(backendMs(processes) - atFirst);
  }
  const both = program.map((ms, run) => ms + (database[run] ?? 0));
  const [ofProgram, ofDatabase, sum] = [program, database, both].map((times) => median(times).toFixed(1).padStart(6));
  const peak = Math.max(...both).toFixed(0);
  console.log(`${what.padEnd(58)} ${ofProgram} + ${ofDatabase} = ${sum}   at most ${peak}`);
}

/** Returns the ids of the processes that serve the connections of this program. */
async function backendsOf(store: Store): Promise<number[]> {
  const rows = await store.execute(BACKENDS_SQL);
  return rows.map((row) => Number(Object.values(Object(row))[0]));
}

/** Returns the processor time of these processes so far, in milliseconds. */
function backendMs(processes: readonly number[]): number {
  return processes.map(processorMsOf).reduce((sum, ms) => sum + ms, 0);
}

function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN;
}

/** Does what autovacuum does soon after so many inserts; beside a transaction of autovacuum, pages stay for a second try. */
async function vacuum(store: Store): Promise<void> {
  await store.execute("VACUUM ANALYZE");
  const [row] = await store.execute("SELECT relallvisible < relpages FROM pg_class WHERE relname = 'users'");
  if (Object.values(Object(row))[0]) await vacuum(store);
}

async function seed(store: Store, population: Population): Promise<void> {
  const { users, groups, totpCredentials, webauthnCredentials } = store.t;
  const offices = Array.from({ length: 20 }, (_, place) => ({ id: `office-${place}`, name: `Büro ${place}` }));
  await store.q.insert(groups).values(offices.map((office) => ({ ...office, createdAt: NOW })));
  for (let start = 0; start < PEOPLE; start += ROWS_AT_ONCE) {
    const places = Array.from({ length: ROWS_AT_ONCE }, (_, place) => start + place);
    const withFactor = places.filter((place) => hasFactor(place, population));
    const totp = withFactor.filter((place) => place % 2 === 0).map(factorAt);
    const keys = withFactor
      .filter((place) => place % 2 === 1)
      .map((place) => ({ ...factorAt(place), ...keyAt(place) }));
    await store.tx(async ({ q }) => {
      await q.insert(users).values(places.map((place) => personAt(place, population)));
      if (totp.length > 0) {
        await q
          .insert(totpCredentials)
          .values(totp.map((factor) => ({ ...factor, sealedSecret: SEALED, lastStep: 0 })));
      }
      if (keys.length > 0) await q.insert(webauthnCredentials).values(keys);
    });
  }
}

function hasFactor(place: number, population: Population): boolean {
  return population === "usual" ? place % 100 >= 8 : place % 100 === 50;
}

function idAt(place: number): string {
  return `user-${String((place * 7919) % PEOPLE).padStart(6, "0")}-aaaaaaaa`;
}

function factorAt(place: number) {
  return { userId: idAt(place), createdAt: NOW };
}

function keyAt(place: number) {
  return {
    ...{ id: `key-${place}`, rpId: "office.example", name: "Key", publicKeyBase64url: "k".repeat(103), algorithm: -7 },
    ...{ counter: 0, attestationFormat: "none", backupEligible: false, backedUp: false },
  };
}

function personAt(place: number, population: Population): NewUser {
  const givenName = GIVEN[place % GIVEN.length] ?? "";
  const familyName = `${FAMILY[(place * 7) % FAMILY.length]}-${(place * 7919) % PEOPLE}`;
  const username = `${givenName}.${familyName}`.toLowerCase();
  const names = { username, displayName: `${givenName} ${familyName}`, givenName, familyName };
  const email = `${place}.${username.normalize("NFKD").replace(/[^a-z0-9.-]/g, "")}@office.example`;
  const isInvited = place % 100 < 3;
  const ageDays = place % 20 === 9 ? 100 + (place % 400) : place % 80;
  const neverSignedIn = isInvited || (population === "usual" ? place % 100 === 40 : place % 100 !== 50);
  return {
    ...{ id: idAt(place), ...names, email, ...foldedNames({ ...names, email }) },
    ...{ usernameCanonical: username, emailCanonical: email, emailVerified: true, locale: "de" },
    groupId: place % 20 < 10 ? "office-0" : `office-${place % 20}`,
    status: place % 100 >= 97 ? "blocked" : "active",
    passwordHash: isInvited ? null : "x".repeat(97),
    passwordSetAt: isInvited ? null : NOW,
    lastSignedInAt: neverSignedIn ? null : new Date(NOW.getTime() - ageDays * DAY_MS),
    hasFactor: hasFactor(place, population),
    lastDay: place % 100 === 60 ? "2026-03-15" : place % 100 === 61 ? "2026-12-31" : null,
    ...{ createdAt: NOW, updatedAt: NOW },
  };
}

// Measures the list of people at /manage/admin/people with 100,000 people: the statement that counts, and that of a page.
// Run: node tests/bench/people.ts. With DATABASE_URL, of an empty PostgreSQL database, on that too.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { migrateStore } from "#app/db/migrations.server.ts";
import {
  countPeople,
  listPeople,
  PEOPLE_FILTERS,
  type PeopleFilter,
  type PeopleSelection,
} from "#app/db/repositories/people.server.ts";
import { createUser } from "#app/db/repositories/users.server.ts";
import type { NewUser } from "#app/db/schema.server.ts";
import { openStore, type Store } from "#app/db/store.server.ts";

const PEOPLE = 100_000;
const REPEATS = 9;
const PAGE = 25;
const NOW = new Date("2026-03-02T09:00:00.000Z");
const DAY_MS = 24 * 60 * 60 * 1000;

/** A secret that is never opened. */
const SEALED = JSON.parse(`"${"sealed".repeat(30)}"`);

const GIVEN = [
  "Anna",
  "Bente",
  "Cem",
  "Deniz",
  "Elif",
  "Friederike",
  "Güler",
  "Hinrich",
  "Ida",
  "Jan-Ole",
  "Karl",
  "Lena",
];
const FAMILY = ["Ahlers", "Brandt", "Christiansen", "Demir", "Eggers", "Falkenberg", "Grünwald", "Haddad", "Jessen"];

const ALL: PeopleSelection = {
  words: [],
  officeId: null,
  now: NOW,
  dormantBefore: new Date(NOW.getTime() - 90 * DAY_MS),
  today: "2026-03-02",
  leavingUntil: "2026-04-01",
};

const folder = mkdtempSync(join(tmpdir(), "gatehouse-people-"));
await measure("SQLite", await openStore({ dialect: "sqlite", file: join(folder, "people.sqlite") }));
rmSync(folder, { recursive: true });
const { DATABASE_URL: url } = process.env;
if (url) await measure("PostgreSQL", await openStore({ dialect: "postgres", url }));

async function measure(name: string, store: Store): Promise<void> {
  await migrateStore(store);
  await seed(store);
  if (store.dialect === "postgres") await store.execute("ANALYZE");
  console.log(`\n${name}: ${PEOPLE} people, medians of ${REPEATS}`);
  const selections = {
    "all people": ALL,
    "search: one word (brandt)": { ...ALL, words: ["brandt"] },
    "search: two words (ann, 4711)": { ...ALL, words: ["ann", "4711"] },
    "search: no match": { ...ALL, words: ["hohnstein"] },
    "one office of 20": { ...ALL, officeId: "office-7" },
  };
  for (const [what, selection] of Object.entries(selections)) {
    await report(`counts, ${what}`, () => countPeople(store, selection));
    const { all: total } = await countPeople(store, selection);
    await report(`first page, ${what}`, () => page(store, selection, { filter: null, total, offset: 0 }));
  }
  const counts = await countPeople(store, ALL);
  await report("last page, all people", () =>
    page(store, ALL, { filter: null, total: counts.all, offset: counts.all - PAGE }),
  );
  for (const filter of PEOPLE_FILTERS) {
    const total = counts[filter];
    const last = Math.max(0, total - PAGE);
    await report(`first page, ${filter} (${total})`, () => page(store, ALL, { filter, total, offset: 0 }));
    await report(`last page, ${filter}`, () => page(store, ALL, { filter, total, offset: last }));
  }
  await store.close();
}

function page(
  store: Store,
  selection: PeopleSelection,
  { filter, total, offset }: { filter: PeopleFilter | null; total: number; offset: number },
) {
  return listPeople(store, selection, { filter, total, limit: PAGE, offset });
}

/** Prints the median processor time of this process, which includes SQLite, and the median elapsed time. */
async function report(what: string, work: () => Promise<unknown>): Promise<void> {
  const processor: number[] = [];
  const elapsed: number[] = [];
  await work();
  for (let run = 0; run < REPEATS; run += 1) {
    const startedAt = performance.now();
    const before = process.cpuUsage();
    await work();
    const { user, system } = process.cpuUsage(before);
    processor.push((user + system) / 1000);
    elapsed.push(performance.now() - startedAt);
  }
  const [cpu, wall] = [median(processor), median(elapsed)].map((ms) => ms.toFixed(1).padStart(7));
  console.log(`${what.padEnd(48)} processor ${cpu} ms   elapsed ${wall} ms`);
}

function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN;
}

/** Stores people of 20 offices: 3 % blocked, 3 % invited, 5 % without a second factor, 2 % leaving, 5 % dormant. */
async function seed(store: Store): Promise<void> {
  const { groups, totpCredentials, webauthnCredentials } = store.t;
  const offices = Array.from({ length: 20 }, (_, place) => ({ id: `office-${place}`, name: `Büro ${place}` }));
  await store.q.insert(groups).values(offices.map((office) => ({ ...office, createdAt: NOW })));
  for (let start = 0; start < PEOPLE; start += 5000) {
    await store.tx(async (tx) => {
      for (let place = start; place < start + 5000; place += 1) {
        const user = personAt(place);
        await createUser(tx, user);
        if (place % 100 < 8) continue;
        const fields = { userId: user.id, createdAt: NOW };
        if (place % 2 === 0) {
          await tx.q.insert(totpCredentials).values({ ...fields, sealedSecret: SEALED, lastStep: 0 });
          continue;
        }
        await tx.q.insert(webauthnCredentials).values({
          ...{
            ...fields,
            id: `key-${place}`,
            rpId: "office.example",
            name: "Key",
            publicKeyBase64url: "k",
            algorithm: -7,
          },
          ...{ counter: 0, attestationFormat: "none", backupEligible: false, backedUp: false },
        });
      }
    });
  }
}

function personAt(place: number): NewUser {
  const givenName = GIVEN[place % GIVEN.length] ?? "";
  const familyName = `${FAMILY[(place * 7) % FAMILY.length]}-${(place * 7919) % PEOPLE}`;
  const username = `${givenName}.${familyName}`.toLowerCase();
  const isInvited = place % 100 < 3;
  const ageDays = place % 20 === 9 ? 100 + (place % 400) : place % 80;
  return {
    id: `user-${String((place * 7919) % PEOPLE).padStart(6, "0")}-aaaaaaaa`,
    ...{ username, usernameCanonical: `${username}`, displayName: `${givenName} ${familyName}`, givenName, familyName },
    email: `${place}.${username.normalize("NFKD").replace(/[^a-z0-9.-]/g, "")}@office.example`,
    ...{ emailVerified: true, locale: "de", groupId: `office-${place % 20}` },
    status: place % 100 >= 97 ? "blocked" : "active",
    passwordHash: isInvited ? null : "x".repeat(97),
    passwordSetAt: isInvited ? null : NOW,
    lastSignedInAt: isInvited || place % 100 === 50 ? null : new Date(NOW.getTime() - ageDays * DAY_MS),
    lastDay: place % 100 === 60 ? "2026-03-15" : place % 100 === 61 ? "2026-12-31" : null,
    ...{ createdAt: NOW, updatedAt: NOW },
  };
}

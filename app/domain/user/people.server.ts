import type { Config } from "#app/config/config.ts";
import { foldName } from "#app/db/folded-names.ts";
import {
  countPeople,
  type ListedPerson,
  listOffices,
  listPeople,
  PEOPLE_FILTERS,
  type PeopleCounts,
  type PeopleFilter,
  type PeopleSelection,
} from "#app/db/repositories/people.server.ts";
import type { Store } from "#app/db/store.server.ts";
import type { Administrator } from "#app/domain/administration/administrator.ts";
import { type AuditDeps, recordEvent } from "#app/domain/audit/record.server.ts";
import { DAY_MS } from "#app/durations.ts";
import type { Clock } from "#app/ports.ts";

/** The filters that a page of the list may be limited to. */
export const PEOPLE_STATES = PEOPLE_FILTERS;

/** People on one page of the list. */
export const PEOPLE_PER_PAGE = 25;

/** Days without a sign-in after which a person is listed as dormant. */
const DORMANT_DAYS = 90;

/** Days before the last day from which a person is listed as leaving. */
const LEAVING_DAYS = 30;

/** Words of a search that count; further ones are ignored. */
const MAX_WORDS = 6;

/** People read at once for an export. */
const EXPORT_PAGE = 2000;

type PeopleDeps = { store: Store; clock: Clock; config: Pick<Config, "timeZone"> };

/**
 * A choice of people. `search`: as typed; each word has to occur in the names, the user name or the e-mail address.
 * `officeId`: a home group, null for all. `filter`: null for people in any state.
 */
export type PeopleChoice = { search: string; officeId: string | null; filter: PeopleFilter | null };

/** One page of the list. `total`: people in the chosen state; `pages`: at least 1; `page`: an existing one, from 1 on. */
export type PeoplePage = {
  counts: PeopleCounts;
  people: ListedPerson[];
  total: number;
  page: number;
  pages: number;
};

/** Lists a page of the people whom the role covers, by name; a page after the last one is the last one. */
export async function findPeoplePage(
  context: PeopleDeps,
  administrator: Administrator,
  { page: wanted, ...choice }: PeopleChoice & { page: number },
): Promise<PeoplePage> {
  const { store } = context;
  const selection = selectionOf(context, administrator, choice);
  const counts = await countPeople(store, selection);
  const { filter } = choice;
  const total = counts[filter ?? "all"];
  const pages = Math.max(1, Math.ceil(total / PEOPLE_PER_PAGE));
  const page = Math.min(Math.max(1, wanted), pages);
  const part = { filter, total, limit: PEOPLE_PER_PAGE, offset: (page - 1) * PEOPLE_PER_PAGE };
  const people = total === 0 ? [] : await listPeople(store, selection, part);
  return { counts, people, total, page, pages };
}

/** Returns the chosen people whom the role covers, and records that they left the installation. */
export async function exportPeople(
  context: PeopleDeps & AuditDeps,
  administrator: Administrator,
  choice: PeopleChoice,
): Promise<ListedPerson[]> {
  const selection = selectionOf(context, administrator, choice);
  const { filter } = choice;
  const total = (await countPeople(context.store, selection))[filter ?? "all"];
  const people: ListedPerson[] = [];
  let part: ListedPerson[];
  do {
    part = await listPeople(context.store, selection, { filter, total, limit: EXPORT_PAGE, offset: people.length });
    people.push(...part);
  } while (part.length === EXPORT_PAGE);
  const { userId, username } = administrator;
  await recordEvent(context, { type: "people.exported", outcome: "ok", userId, username, reason: filter ?? "all" });
  return people;
}

/** Lists the offices by which an administrator may choose people, by name; [] for a help desk of one office. */
export async function listChoosableOffices(
  { store }: { store: Store },
  { officeId }: Administrator,
): Promise<{ id: string; name: string }[]> {
  return officeId === null ? listOffices(store) : [];
}

/** Returns the day at this time in the time zone, as YYYY-MM-DD. */
function dayIn(timeZone: string, at: Date): string {
  // The Swedish format of a date is that of ISO 8601.
  return new Intl.DateTimeFormat("sv-SE", { timeZone }).format(at);
}

/** A help desk of one office selects its own people, whatever it asks for. */
function selectionOf(
  { clock, config }: PeopleDeps,
  administrator: Administrator,
  { search, officeId }: PeopleChoice,
): PeopleSelection {
  const now = clock.now();
  const daysFromNow = (days: number) => new Date(now.getTime() + days * DAY_MS);
  const words = foldName(search).split(/\s+/).filter(Boolean).slice(0, MAX_WORDS);
  return {
    words,
    officeId: administrator.officeId ?? officeId,
    now,
    dormantBefore: daysFromNow(-DORMANT_DAYS),
    today: dayIn(config.timeZone, now),
    leavingUntil: dayIn(config.timeZone, daysFromNow(LEAVING_DAYS)),
  };
}

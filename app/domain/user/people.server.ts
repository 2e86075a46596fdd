import type { Config } from "#app/config/config.ts";
import { searchWords } from "#app/db/folded-names.ts";
import {
  countPeople,
  type ListedPerson,
  listOffices,
  listPeople,
  listPeopleIds,
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

/** People whom a search lists: a further one is found by another word, and a count of all would read all. */
export const MAX_FOUND = 1000;

/** People read at once for an export. */
const EXPORT_PAGE = 2000;

/** People of an export: all. */
const NO_LIMIT = 1_000_000_000;

type PeopleDeps = { store: Store; clock: Clock; config: Pick<Config, "timeZone"> };

/**
 * A choice of people. `search`: as typed; each word has to occur in the names, the user name or the e-mail address.
 * `officeId`: a home group, null for all. `filter`: null for people in any state.
 */
export type PeopleChoice = { search: string; officeId: string | null; filter: PeopleFilter | null };

/**
 * One page of the list. `counts`: people in each state, null for a search, which does not count them. `total`: people in
 * the chosen state; `isMore`: a search has found more, which are not listed. `pages`: at least 1; `page`: an existing
 * one, from 1 on.
 */
export type PeoplePage = {
  counts: PeopleCounts | null;
  people: ListedPerson[];
  total: number;
  isMore: boolean;
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
  const { filter } = choice;
  const selection = selectionOf(context, administrator, choice);
  // A search compares the texts of all people until it has found enough: once, for the number and for the page.
  const isSearch = selection.words.length > 0;
  const found = isSearch ? await listPeopleIds(store, selection, { filter, limit: MAX_FOUND + 1, offset: 0 }) : [];
  const counts = isSearch ? null : await countPeople(store, selection);
  const total = counts?.[filter ?? "all"] ?? Math.min(found.length, MAX_FOUND);
  const pages = Math.max(1, Math.ceil(total / PEOPLE_PER_PAGE));
  const page = Math.min(Math.max(1, wanted), pages);
  const [offset, limit] = [(page - 1) * PEOPLE_PER_PAGE, PEOPLE_PER_PAGE];
  // The rows of an empty list would be searched among all people.
  const isListed = !isSearch && total > 0;
  const ids = isListed
    ? await listPeopleIds(store, selection, { filter, limit, offset, total })
    : found.slice(offset, Math.min(offset + limit, MAX_FOUND));
  const people = await listPeople(store, ids, selection.now);
  return { counts, people, total, isMore: found.length > MAX_FOUND, page, pages };
}

/** Returns the chosen people whom the role covers, and records that they left the installation. */
export async function exportPeople(
  context: PeopleDeps & AuditDeps,
  administrator: Administrator,
  choice: PeopleChoice,
): Promise<ListedPerson[]> {
  const selection = selectionOf(context, administrator, choice);
  const { filter } = choice;
  const ids = await listPeopleIds(context.store, selection, { filter, limit: NO_LIMIT, offset: 0 });
  const people: ListedPerson[] = [];
  for (let start = 0; start < ids.length; start += EXPORT_PAGE) {
    people.push(...(await listPeople(context.store, ids.slice(start, start + EXPORT_PAGE), selection.now)));
  }
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
  return {
    words: searchWords(search),
    officeId: administrator.officeId ?? officeId,
    now,
    dormantBefore: daysFromNow(-DORMANT_DAYS),
    today: dayIn(config.timeZone, now),
    leavingUntil: dayIn(config.timeZone, daysFromNow(LEAVING_DAYS)),
  };
}

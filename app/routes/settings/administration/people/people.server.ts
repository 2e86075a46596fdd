import { z } from "zod";
import { allows } from "#app/domain/administration/administrator.ts";
import {
  findPeoplePage,
  listChoosableOffices,
  PEOPLE_STATES,
  type PeopleChoice,
  type PeoplePage,
} from "#app/domain/user/people.server.ts";
import { listName } from "#app/domain/user/person-name.ts";
import type { Administration } from "#app/http/administration.server.ts";
import { type PageView, settingsTexts } from "#app/http/page-data.server.ts";
import { listDayText, listTimeText, type TimeTexts, untilDayText } from "#app/i18n/time-texts.server.ts";
import { pageTitle } from "#app/ui/title.ts";

const MAX_SEARCH_LENGTH = 100;

/** Parameters of the URL; another value shows all people. */
const schema = z.object({
  q: z.string().trim().max(MAX_SEARCH_LENGTH).catch(""),
  office: z.string().max(100).nullable().catch(null),
  show: z.enum(PEOPLE_STATES).nullable().catch(null),
  page: z.coerce.number().int().min(1).max(1_000_000).catch(1),
});

type ListedPerson = PeoplePage["people"][number];

/** A state of a person, as a tag. `kind`: "off" is settled, "warn" has to be looked at. */
type State = { text: string; kind: "off" | "warn" | undefined };

/** A row of the list. `note`: office and role. */
type PersonRow = { id: string; name: string; note: string; states: State[]; signedIn: string };

export type PeopleListPage = PageView<
  object,
  {
    choice: PeopleChoice;
    /** The filters of the page; null shows people in any state. */
    filters: readonly PeopleChoice["filter"][];
    offices: { id: string; name: string }[];
    counts: PeoplePage["counts"];
    rows: PersonRow[];
    first: number;
    total: number;
    isMore: boolean;
    page: number;
    pages: number;
    mayImport: boolean;
    done: string | null;
  }
>;

/** Reads the choice of people from the URL of the list, or of its export. Ignores an office that does not exist. */
export async function readChoice(administration: Administration, request: Request) {
  const query = new URL(request.url).searchParams;
  const values = Object.fromEntries(Object.keys(schema.shape).map((name) => [name, query.get(name)]));
  const { q: search, office, show: filter, page } = schema.parse({ ...values, q: values["q"] ?? "" });
  const offices = await listChoosableOffices(administration.context, administration.administrator);
  const officeId = offices.find(({ id }) => id === office)?.id ?? null;
  const choice: PeopleChoice = { search, officeId, filter };
  return { choice, offices, page };
}

/** Loads the list of people. */
export async function loadPeoplePage(administration: Administration, request: Request): Promise<PeopleListPage> {
  const { context, administrator } = administration;
  const { choice, offices, page: wanted } = await readChoice(administration, request);
  const found = await findPeoplePage(context, administrator, { ...choice, page: wanted });
  const { counts, people, total, isMore, page, pages } = found;
  const { language, t } = await settingsTexts(context, request);
  const texts = { language, t, now: context.clock.now(), timeZone: context.config.timeZone };
  return {
    status: 200,
    title: pageTitle(t, t("adminPeople.title")),
    state: {},
    filters: [null, ...PEOPLE_STATES],
    ...{ choice, offices, counts, total, isMore, page, pages },
    rows: people.map((one) => rowOf(one, texts)),
    first: (page - 1) * 25 + 1,
    mayImport: allows(administrator, "import people"),
    done: new URL(request.url).searchParams.get("done"),
  };
}

function rowOf(person: ListedPerson, texts: TimeTexts): PersonRow {
  const { t } = texts;
  const { id, office, role, lastSignedInAt } = person;
  const note = [office ?? t("adminPeople.noOffice"), role === null ? null : t(`admin.roles.${role}`)];
  return {
    id,
    name: listName(person),
    note: note.filter((part) => part !== null).join(" · "),
    states: statesOf(person, texts),
    signedIn: lastSignedInAt === null ? t("adminPeople.signedInNever") : listTimeText(lastSignedInAt, texts),
  };
}

function statesOf(person: ListedPerson, texts: TimeTexts): State[] {
  const { t } = texts;
  if (person.isBlocked) return [{ text: t("adminPeople.state.blocked"), kind: "off" }];
  const states: State[] = [];
  if (person.isInvited) states.push(invitationState(person, texts));
  else if (!person.hasFactor) states.push({ text: t("adminPeople.state.noFactor"), kind: "warn" });
  if (person.lastDay !== null) states.push({ text: lastDayText(person.lastDay, texts), kind: "off" });
  return states;
}

function invitationState({ invitedUntil }: ListedPerson, texts: TimeTexts): State {
  const { t } = texts;
  if (invitedUntil === null) return { text: t("adminPeople.state.expired"), kind: "warn" };
  return { text: t("adminPeople.state.invited", { day: untilDayText(invitedUntil, texts) }), kind: undefined };
}

function lastDayText(day: string, texts: TimeTexts): string {
  const date = listDayText(new Date(`${day}T12:00:00Z`), { ...texts, timeZone: "UTC" });
  return texts.t("adminPeople.state.lastDay", { date });
}

import { PROVIDER_NAMES } from "#app/config/providers.ts";
import { allows, type Permission } from "#app/domain/administration/administrator.ts";
import { findPerson, type Person } from "#app/domain/administration/person.server.ts";
import { type ExplainedApplication, explainAccess } from "#app/domain/application-access/explain.server.ts";
import { findAuditEvent } from "#app/domain/audit/events.ts";
import { noonOf } from "#app/domain/base/day.ts";
import { findHelpRefusal, findOpenHelp } from "#app/domain/help-link/give.server.ts";
import {
  findGroupName,
  findPersonGroups,
  findPersonMethods,
  groupNames,
  isInvited,
  listPersonEvents,
  listPersonSessions,
  type PersonGroups,
} from "#app/domain/person/show.server.ts";
import type { Administration } from "#app/http/administration.server.ts";
import { browserText, type PageView } from "#app/http/page-data.server.ts";
import { refusal } from "#app/http/refusal.server.ts";
import { dayText, exactTimeText, type TimeTexts, whenText } from "#app/i18n/time-texts.server.ts";
import { type HelpKind, refusalText } from "#app/routes/settings/administration/help-refusal-text.ts";
import { settingsState, timeTexts } from "#app/routes/settings/page-data.server.ts";
import type { SettingsState } from "#app/ui/page-state.ts";
import { pageTitle } from "#app/ui/title.ts";
import { personPath } from "./change.server.ts";
import type { RowAction, RowTexts, SectionTexts } from "./rows.tsx";

/** A button of the page. `reason`: why the page cannot be used now; null if it can. */
type Button = { to: string; text: string; reason: string | null };

/** `notice`: why the person cannot be changed. `helping` and `ending`: buttons above and below the sections. */
export type PersonPage = PageView<
  SettingsState,
  {
    url: string;
    name: string;
    lead: string;
    tags: readonly { text: string; isSettled: boolean }[];
    notice: string | null;
    helping: readonly Button[];
    ending: readonly Button[];
    sections: readonly SectionTexts[];
    done: string | null;
  }
>;

/** Loads a person's page. Throws a Response 404 for a person whom the role does not cover. */
export async function loadPersonPage(
  administration: Administration,
  request: Request,
  id: string,
): Promise<PersonPage> {
  const { administrator, context } = administration;
  const person = await findPerson(context.store, administrator, id);
  if (!person) throw refusal(404, "page_not_found");
  const texts = await timeTexts(context, request);
  const view = {
    administration,
    person,
    texts,
    groups: await findPersonGroups(context, person.user),
    isInvited: await isInvited(context, id),
  };
  const { t } = texts;
  const { displayName } = person.user;
  return {
    status: 200,
    title: pageTitle(t, displayName),
    state: await settingsState(context, administration),
    url: personPath(id),
    name: displayName,
    ...summary(view),
    helping: await helpingButtons(view),
    ending: endingButtons(view),
    sections: [
      await dataSection(view),
      groupsSection(view),
      await applicationsSection(view),
      await methodsSection(view),
      await sessionsSection(view),
      ...(allows(administrator, "read activity") ? [await historySection(view)] : []),
    ],
    done: new URL(request.url).searchParams.get("done"),
  };
}

type View = {
  administration: Administration;
  person: Person;
  texts: TimeTexts;
  groups: PersonGroups;
  isInvited: boolean;
};

/** Returns true if the administrator may change the person by an action with this permission. */
function may({ administration: { administrator }, person: { mayChange } }: View, permission: Permission): boolean {
  return mayChange && allows(administrator, permission);
}

/** Returns a link to a page that changes the person; undefined if it is not allowed. */
function link(view: View, permission: Permission, path: string, text: string, about: string): RowAction | undefined {
  return may(view, permission) ? { to: `${personPath(view.person.user.id)}/${path}`, text, about } : undefined;
}

function summary({ administration: { administrator }, person, texts, isInvited: wasInvited }: View) {
  const { t } = texts;
  const { user, mayChange } = person;
  const { lastSignedInAt, lastDay, status } = user;
  const tags = [
    ...(status === "blocked" ? [{ text: t("adminPerson.blocked"), isSettled: true }] : []),
    ...(wasInvited ? [{ text: t("adminPerson.invited"), isSettled: false }] : []),
    ...(lastDay === null
      ? []
      : [{ text: t("adminPerson.lastDayTag", { day: dayTextOf(lastDay, texts) }), isSettled: true }]),
  ];
  const lead =
    lastSignedInAt === null
      ? t("adminPerson.neverSignedIn")
      : t("adminPerson.lastSignedIn", { when: whenText(lastSignedInAt, texts) });
  const why = user.id === administrator.userId ? t("adminPerson.ownAccount") : t("adminPerson.higherRank");
  return { lead, tags, notice: mayChange ? null : why };
}

function dayTextOf(day: string, { language }: TimeTexts): string {
  return dayText(noonOf(day), { language, timeZone: "UTC" });
}

async function helpingButtons(view: View): Promise<Button[]> {
  const { user } = view.person;
  const { t } = view.texts;
  const path = personPath(user.id);
  if (user.status === "blocked") {
    return may(view, "block people") ? [buttonOf(`${path}/unblock`, t("adminChange.unblock.submit"))] : [];
  }
  if (view.isInvited) {
    if (!may(view, "invite people")) return [];
    return [
      buttonOf(`${path}/resend`, t("adminChange.resend.submit")),
      buttonOf(`${path}/withdraw`, t("adminChange.withdraw.submit")),
    ];
  }
  if (!may(view, "help people")) return [];
  return [
    await helpButton(view, "new-device", t("adminPerson.newDevice")),
    await helpButton(view, "new-password", t("adminPerson.newPassword")),
  ];
}

function buttonOf(to: string, text: string): Button {
  return { to, text, reason: null };
}

async function helpButton(view: View, kind: HelpKind, text: string): Promise<Button> {
  const { user } = view.person;
  const { store, clock } = view.administration.context;
  const refused = await findHelpRefusal(store, user, { kind, now: clock.now() });
  const until = refused?.kind === "other kind" ? exactTimeText(refused.until, view.texts) : null;
  const reason = refused && refusalText(view.texts.t, { refusal: refused.kind, kind, name: user.displayName, until });
  return { to: `${personPath(user.id)}/help/${kind}`, text, reason };
}

function endingButtons(view: View): Button[] {
  const { user } = view.person;
  const { t } = view.texts;
  const path = personPath(user.id);
  return [
    ...(may(view, "block people") && user.status === "active"
      ? [buttonOf(`${path}/block`, t("adminChange.block.submit"))]
      : []),
    ...(may(view, "remove people") ? [buttonOf(`${path}/remove`, t("adminChange.remove.submit"))] : []),
  ];
}

async function dataSection(view: View): Promise<SectionTexts> {
  const { administration, person, texts, groups } = view;
  const { t } = texts;
  const { user, granted } = person;
  const change = t("adminPerson.change");
  const sees = allows(administration.administrator, "edit people");
  const mail = user.email === null ? [t("adminPerson.none")] : [user.email];
  const verified = user.email === null || user.emailVerified ? [] : [t("adminPerson.notVerified")];
  const role = granted === null ? t("adminPerson.noRole") : t(ROLES[granted.role]);
  const roleOffice = granted?.officeId ? await findGroupName(administration.context, granted.officeId) : null;
  const lastDay = user.lastDay === null ? t("adminPerson.notSet") : dayTextOf(user.lastDay, texts);
  const labels = { office: t("adminPerson.office"), role: t("adminPerson.role"), lastDay: t("adminPerson.lastDay") };
  const reason: RowTexts[] =
    sees && user.blockReason !== null
      ? [{ label: t("adminPerson.blockReason"), lines: [user.blockReason], kind: "given" }]
      : [];
  return {
    id: "data",
    heading: t("adminPerson.data"),
    action: link(view, "edit people", "edit", t("adminPerson.edit"), t("adminPerson.data")),
    rows: [
      ...reason,
      { label: t("adminPerson.username"), lines: [user.username], kind: "name" },
      { label: t("adminPerson.email"), lines: [...mail, ...verified], ...(user.email ? { kind: "name" } : {}) },
      {
        label: t("adminPerson.phone"),
        lines: [user.phone ?? t("adminPerson.none")],
        ...(user.phone ? { kind: "given" } : {}),
      },
      {
        label: labels.office,
        lines: [groups.office?.name ?? t("adminPerson.noOffice")],
        ...(groups.office ? { kind: "given" } : {}),
        action: link(view, "edit people", "office", change, labels.office),
      },
      {
        label: labels.role,
        lines: [roleOffice === null ? role : t("adminPerson.roleOf", { role, office: roleOffice })],
        action: link(view, "manage roles", "role", change, labels.role),
      },
      {
        label: labels.lastDay,
        lines: [lastDay],
        ...(user.lastDay === null ? {} : { kind: "given" }),
        action: link(view, "block people", "last-day", change, labels.lastDay),
      },
      { label: t("adminPerson.id"), lines: [user.id], kind: "code" },
    ],
  };
}

function groupsSection(view: View): SectionTexts {
  const { groups, texts } = view;
  const { t } = texts;
  const heading = t("adminPerson.groups");
  const rows = groups.further.map(({ id, name }) => ({
    label: name,
    isGiven: true,
    lines: [],
    action: link(view, "edit people", `groups?remove=${encodeURIComponent(id)}`, t("adminPerson.remove"), name),
  }));
  return {
    id: "groups",
    heading,
    ...(rows.length === 0 ? { note: t("adminPerson.noGroups") } : {}),
    action: link(view, "edit people", "groups", t("adminPerson.change"), heading),
    rows,
  };
}

async function applicationsSection({ administration, person, groups, texts }: View): Promise<SectionTexts> {
  const { t } = texts;
  const applications = await explainAccess(administration.context, groupNames(groups));
  const isFirst = ({ mayUse }: ExplainedApplication) => Number(mayUse);
  return {
    id: "applications",
    heading: t("adminPerson.applications"),
    note: t(applicationsNote(person, applications.length)),
    rows: applications
      .toSorted((one, other) => isFirst(other) - isFirst(one))
      .map((application) => applicationRow(application, texts)),
  };
}

function applicationsNote({ user }: Person, count: number) {
  if (count === 0) return "adminPerson.noApplications";
  return user.status === "blocked" ? "adminPerson.applicationsWhenUnblocked" : "adminPerson.applicationsNote";
}

function applicationRow(
  { name, mayUse, everyone, through, allowed }: ExplainedApplication,
  { t }: TimeTexts,
): RowTexts {
  if (everyone) {
    return {
      label: name,
      isGiven: true,
      lines: [t("adminPerson.mayUse"), t("adminPerson.forEveryone")],
      kind: "check",
    };
  }
  if (mayUse) {
    const groups = through.join(", ");
    return {
      label: name,
      isGiven: true,
      lines: [t("adminPerson.mayUse"), t("adminPerson.through", { groups })],
      kind: "check",
    };
  }
  const why = allowed.length === 0 ? t("adminPerson.forNone") : t("adminPerson.only", { groups: allowed.join(", ") });
  return { label: name, isGiven: true, lines: [t("adminPerson.mayNotUse"), why] };
}

/** Text keys by role. */
const ROLES = { administrator: "admin.roles.administrator", "help-desk": "admin.roles.help-desk" } as const;

/** Text keys by how the password was set. */
const PASSWORD_ORIGINS = {
  cli: "adminPerson.passwordHow.cli",
  settings: "adminPerson.passwordHow.settings",
  link: "adminPerson.passwordHow.link",
  import: "adminPerson.passwordHow.import",
} as const;

async function methodsSection(view: View): Promise<SectionTexts> {
  const { administration, person, texts } = view;
  const { t } = texts;
  const { user } = person;
  const { totp, keys, codesLeft, accounts } = await findPersonMethods(administration.context, user.id);
  const removal = (factor: string, name: string) =>
    link(view, "edit people", `factors/${factor}`, t("adminPerson.remove"), name);
  const added = (at: Date) => t("adminPerson.added", { when: whenText(at, texts) });
  const used = (at: Date | null) => (at === null ? [] : [t("adminPerson.used", { when: whenText(at, texts) })]);
  const password =
    user.passwordSetAt === null
      ? [t("adminPerson.noPassword")]
      : [
          t("adminPerson.passwordSet", { when: whenText(user.passwordSetAt, texts) }),
          ...(user.passwordSetHow === null ? [] : [t(PASSWORD_ORIGINS[user.passwordSetHow])]),
        ];
  const app = t("adminPerson.totp");
  return {
    id: "methods",
    heading: t("adminPerson.methods"),
    rows: [
      { label: t("adminPerson.password"), lines: password },
      ...(totp
        ? [{ label: app, lines: [added(totp.addedAt), ...used(totp.lastUsedAt)], action: removal("totp", app) }]
        : []),
      ...keys.map(({ id, name, isPasskey, addedAt, lastUsedAt }) => ({
        label: t(isPasskey ? "adminPerson.passkey" : "adminPerson.key"),
        lines: [name, added(addedAt), ...used(lastUsedAt)],
        kind: "given" as const,
        action: removal(`key-${id}`, name),
      })),
      ...(await openHelpRows(view)),
      ...(totp || keys.some(({ isPasskey }) => !isPasskey)
        ? [{ label: t("adminPerson.codes"), lines: [t("adminPerson.codesLeft", { count: codesLeft })] }]
        : [{ label: t("adminPerson.factor"), lines: [t("adminPerson.noFactor")] }]),
      ...accounts.map(({ provider, name, linkedAt }) => ({
        label: PROVIDER_NAMES[provider],
        lines: [t("adminPerson.connected", { when: whenText(linkedAt, texts) }), ...(name === null ? [] : [name])],
        action: removal(`provider-${provider}`, PROVIDER_NAMES[provider]),
      })),
    ],
  };
}

/** Returns the row of open help, which those who help people can withdraw. */
async function openHelpRows(view: View): Promise<RowTexts[]> {
  const { administration, person, texts } = view;
  const { t } = texts;
  const { store, clock } = administration.context;
  const help = await findOpenHelp(store, person.user.id, clock.now());
  if (help === null) return [];
  const until = exactTimeText(help.expiresAt, texts);
  const what = help.kind === "new-device" ? "adminPerson.openDevice" : "adminPerson.openPassword";
  return [
    {
      label: t("adminPerson.openHelp"),
      lines: [t(what, { until }), ...(help.by === null ? [] : [t("adminPerson.by", { name: help.by })])],
      help: may(view, "help people") ? { personId: person.user.id, xsrf: administration.xsrf } : undefined,
    },
  ];
}

async function sessionsSection(view: View): Promise<SectionTexts> {
  const { administration, person, texts } = view;
  const { t } = texts;
  const sessions = await listPersonSessions(administration.context, person.user);
  const heading = t("adminPerson.sessions", { count: sessions.length });
  return {
    id: "sessions",
    heading,
    ...(sessions.length === 0 ? { note: t("adminPerson.noSessions") } : {}),
    action:
      sessions.length === 0 ? undefined : link(view, "block people", "end-sessions", t("adminPerson.endAll"), heading),
    rows: sessions.map(({ browser, lastUsedAt, since, applications }) => ({
      label: browserText(browser, texts),
      kind: "small",
      lines: [
        t("adminPerson.active", { when: whenText(lastUsedAt, texts) }),
        t("adminPerson.since", { when: whenText(since, texts) }),
        ...(applications.length === 0 ? [] : [applications.join(", ")]),
      ],
    })),
  };
}

async function historySection({ administration, person, texts }: View): Promise<SectionTexts> {
  const { t } = texts;
  const { user } = person;
  const heading = t("adminPerson.history");
  const events = await listPersonEvents(administration.context, user.id);
  // By id, because a user name can be a part of other names.
  const to = `/manage/admin/activity?${new URLSearchParams({ person: user.id })}`;
  return {
    id: "history",
    heading,
    action: { to, text: t("adminPerson.seeAll"), about: heading },
    rows: events.map(({ at, type, by }) => ({
      // An event of a later version has no text here.
      label: t(findAuditEvent(type)?.activity ?? "manageActivity.event.other"),
      kind: "small",
      lines: [whenText(at, texts), ...(by === null ? [] : [t("adminPerson.by", { name: by })])],
    })),
  };
}

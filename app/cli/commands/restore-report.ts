import { timeText } from "#app/cli/output/table.ts";
import type { Concerned, RestoreReport } from "#app/restore/report.ts";

const WHY: Readonly<Record<string, string>> = {
  blocked: "was blocked",
  removed: "was removed",
  "factor removed": "a second factor was removed",
  "factor added": "a second factor was added, and there would be none without it",
  changed: "has the former profile, group and permissions again",
  renamed: "has the former user name again",
  "provider connected": "a connected provider is gone",
};

const LOST: Readonly<Record<string, string>> = { ...WHY, "factor added": "a second factor that was added is gone" };

/** Who is concerned by an older database, by name, and what to do for them. */
export function concernedLines(concerned: Concerned): string[] {
  const sections = sectionsOf(concerned).filter(({ rows }) => rows.length > 0);
  const since = `The file shows the moment ${timeText(concerned.snapshotAt)}; ${concerned.events} events came later.`;
  if (sections.length === 0) return [since, "Nothing in them concerns anybody but by a new sign-in."];
  return [
    since,
    ...sections.flatMap(({ title, rows, advice }) => ["", title, ...rows.map((row) => `  ${row}`), advice]),
  ];
}

/** What was done, from the first line to the last. */
export function restoreReportLines(report: RestoreReport): string[] {
  const former = report.formerIssuer === null ? [] : [`The database belonged to ${report.formerIssuer} before.`];
  return [
    `An older database came into service at ${timeText(report.at)}. Everybody has to sign in again.`,
    ...former,
    ...concernedLines(report),
  ];
}

type Section = { title: string; rows: string[]; advice: string };

function sectionsOf(concerned: Concerned): Section[] {
  const named = (people: readonly { username: string }[]) => people.map(({ username }) => username);
  const told = (people: readonly { username: string; what: readonly string[] }[], words: typeof WHY) =>
    people.map(({ username, what }) => `${username}: ${what.map((one) => words[one] ?? one).join("; ")}`);
  return [
    {
      title: "Blocked, because of what happened since:",
      rows: told(
        concerned.blocked.map(({ username, why }) => ({ username, what: why })),
        WHY,
      ),
      advice:
        "Talk to each; then gatehouse user link NAME --mfa-reset where a factor is wrong, gatehouse user unblock NAME.",
    },
    {
      title: "Changed the password since; the old one was removed:",
      rows: named(concerned.mustSetPassword),
      advice: 'They use "Forgot password?"; without a mail address: gatehouse user link NAME --password-reset.',
    },
    {
      title: "Used or made recovery codes since; all of theirs were removed:",
      rows: named(concerned.needRecoveryCodes),
      advice: "They make new ones in the login settings.",
    },
    {
      title: "Disconnected a provider since; it was disconnected again:",
      rows: concerned.disconnected.map(({ username, providers }) => `${username}: ${providers.join(", ") || "all"}`),
      advice: "Nothing is left to do.",
    },
    ...lostSections(
      concerned,
      told(
        concerned.lostChanges.map(({ username, what }) => ({ username, what })),
        LOST,
      ),
    ),
    {
      title: "Applications whose secret was changed since; the old one is dead:",
      rows: concerned.clientsWithoutSecret,
      advice: "gatehouse client rotate-secret ID makes a new one for each.",
    },
    {
      title: "Applications that were removed since; they were removed again:",
      rows: concerned.clientsRemoved,
      advice: "Nothing is left to do.",
    },
    {
      title: "Applications that were changed since, and are as before:",
      rows: concerned.changedClients,
      advice: "gatehouse client show ID shows each; gatehouse client set ID changes it.",
    },
    {
      title: "Groups whose rules were changed since:",
      rows: concerned.groups,
      advice: "gatehouse group list shows how they are now.",
    },
    {
      title: "The signing keys were changed since:",
      rows: concerned.keysChanged ? ["the former key signs again"] : [],
      advice: "If it was changed because somebody had it: gatehouse keys rotate.",
    },
  ];
}

function lostSections({ lostUsers, lostClients }: Concerned, lostChanges: string[]): Section[] {
  return [
    { title: "Accounts that were added since, and are gone:", rows: lostUsers, advice: "Add them again." },
    { title: "Applications that were added since, and are gone:", rows: lostClients, advice: "Add them again." },
    { title: "Changes that are gone:", rows: lostChanges, advice: "They make them again in the login settings." },
  ];
}

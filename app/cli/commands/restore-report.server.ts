import type { Output } from "#app/cli/output/output.server.ts";
import type { BlockReason, LostChange } from "#app/restore/plan.server.ts";
import { type AffectedRecords, countAffectedUsers, RECENT_DAYS, type RestoreReport } from "#app/restore/report.ts";

type TimeText = Output["time"];

const REASONS: Readonly<Record<string, string>> = {
  blocked: "was blocked",
  removed: "was removed",
  "factor removed": "a second factor was removed",
  "factor added": "the first second factor was added, so the restored account has none",
  changed: "has the earlier profile, home group and permissions again",
  "joined group": "is not a member of a group to which an administrator added the user",
  "role granted": "does not have a role that an administrator gave",
  "role revoked": "a role was taken away, and the restored account has it again: gatehouse role revoke, then unblock",
  "e-mail change undone":
    "a new e-mail address was undone, and the restored account may have it: check it with gatehouse user show before unblocking",
  renamed: "has the earlier user name again",
  "provider connected": "a connected provider was lost",
} satisfies Record<BlockReason | LostChange, string>;

const LOST_CHANGES: Readonly<Record<string, string>> = {
  ...REASONS,
  "factor added": "an added second factor was lost",
};

/** Lists the users, clients and groups that a restored database affects, and the steps to take. */
export function affectedLines(affected: AffectedRecords, timeText: TimeText): string[] {
  const sections = [...sectionsOf(affected), ...uncheckedSections(affected, timeText)];
  const filled = sections.filter(({ rows }) => rows.length > 0);
  const since = `The file contains the state of ${timeText(affected.snapshotAt)}; ${laterText(affected, timeText)}`;
  if (filled.length === 0) return [since, "No user is affected, except that all users must sign in again."];
  return [since, ...filled.flatMap(({ title, rows, advice }) => ["", title, ...rows.map((row) => `  ${row}`), advice])];
}

/** Describes a completed restore. */
export function restoreReportLines(report: RestoreReport, timeText: TimeText): string[] {
  const previousIssuer =
    report.formerIssuer === null ? [] : [`The previous issuer of the database was ${report.formerIssuer}.`];
  return [
    `A restored database was put into service at ${timeText(report.at)}. All users must sign in again.`,
    ...previousIssuer,
    ...affectedLines(report, timeText),
    ...(report.isComplete && countAffectedUsers(report) > 0 ? ["", CONFIRM] : []),
  ];
}

const CONFIRM = "When these users are taken care of, run: gatehouse restore --confirm";

function laterText({ isComplete, events, knownUntil }: AffectedRecords, timeText: TimeText): string {
  if (isComplete) return `${events} events are more recent.`;
  if (events === null) return "it is unknown what was changed later.";
  return `${events} later events are known, until ${timeText(knownUntil)}; it is unknown what was changed after that.`;
}

/** Returns what an administrator has to check because later changes are unknown. */
function uncheckedSections(affected: AffectedRecords, timeText: TimeText): Section[] {
  const { isComplete, knownUntil, recentlyChanged, moreRecentlyChanged } = affected;
  if (isComplete) return [];
  const users = recentlyChanged.map(({ username, what }) => `${username}: ${what.join(", ")}`);
  const more = moreRecentlyChanged > 0 ? [`and ${moreRecentlyChanged} more`] : [];
  return [
    {
      title: `Changed in the ${RECENT_DAYS} days before the backup, and perhaps again since:`,
      rows: [...users, ...more],
      advice: "Check these users first (gatehouse user show NAME).",
    },
    {
      title: "Unknown changes:",
      rows: [
        `A user who was blocked after ${timeText(knownUntil)} is active again;`,
        "a removed factor, an old password and the old secret of a client are valid again.",
      ],
      advice: "Repeat what was changed after that time. Then run: gatehouse restore --confirm",
    },
  ];
}

type Section = { title: string; rows: string[]; advice: string };

function sectionsOf(affected: AffectedRecords): Section[] {
  const names = (users: readonly { username: string }[]) => users.map(({ username }) => username);
  const explained = (users: readonly { username: string; what: readonly string[] }[], texts: typeof REASONS) =>
    users.map(({ username, what }) => `${username}: ${what.map((code) => texts[code] ?? code).join("; ")}`);
  return [
    {
      title: "Blocked, because of changes since the backup:",
      rows: explained(
        affected.blocked.map(({ username, why }) => ({ username, what: why })),
        REASONS,
      ),
      advice:
        "Contact each user, then run gatehouse user link NAME --mfa-reset if a factor is wrong, and gatehouse user unblock NAME.",
    },
    {
      title: "Password changed since the backup; the old password was removed:",
      rows: names(affected.mustSetPassword),
      advice:
        'These users set a new one with "Forgot password?"; without a mail address: gatehouse user link NAME --password-reset.',
    },
    {
      title: "Recovery codes used or created since the backup; all were removed:",
      rows: names(affected.needRecoveryCodes),
      advice: "These users create new ones in the login settings.",
    },
    {
      title: "Provider disconnected since the backup; it was disconnected again:",
      rows: affected.disconnected.map(({ username, providers }) => `${username}: ${providers.join(", ") || "all"}`),
      advice: "No action is needed.",
    },
    {
      title: "Membership of a group ended since the backup; it was ended again:",
      rows: affected.leftGroups.map(({ username, groups }) => `${username}: ${groups.join(", ")}`),
      advice: "No action is needed.",
    },
    ...lostSections(
      affected,
      explained(
        affected.lostChanges.map(({ username, what }) => ({ username, what })),
        LOST_CHANGES,
      ),
    ),
    {
      title: "Clients whose secret was rotated since the backup; the old secret is invalid:",
      rows: affected.clientsWithoutSecret,
      advice: "Create a new secret for each: gatehouse client rotate-secret ID",
    },
    {
      title: "Clients removed since the backup; they were removed again:",
      rows: affected.clientsRemoved,
      advice: "No action is needed.",
    },
    {
      title: "Clients changed since the backup; the changes were lost:",
      rows: affected.changedClients,
      advice:
        "Check each with gatehouse client show ID, also to whom it is open; change it with gatehouse client set ID.",
    },
    {
      title: "Groups changed since the backup:",
      rows: affected.groups,
      advice: "Check them with gatehouse group list.",
    },
    {
      title: "Signing keys rotated since the backup:",
      rows: affected.keysChanged ? ["the earlier key is the current one again"] : [],
      advice: "If the rotation was the response to a leak, run: gatehouse keys rotate",
    },
  ];
}

function lostSections({ lostUsers, lostClients }: AffectedRecords, lostChanges: string[]): Section[] {
  return [
    { title: "Users added since the backup; they were lost:", rows: lostUsers, advice: "Add them again." },
    { title: "Clients added since the backup; they were lost:", rows: lostClients, advice: "Add them again." },
    {
      title: "Lost changes:",
      rows: lostChanges,
      advice:
        "The users repeat theirs in the login settings; repeat those of administrators with gatehouse user set NAME.",
    },
  ];
}

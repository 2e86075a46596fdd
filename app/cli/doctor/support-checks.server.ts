import { readReleaseDate, readVersion } from "#app/config/version.server.ts";
import { DAY_MS } from "#app/durations.ts";
import type { Clock } from "#app/ports.ts";
import { type Check, type CheckResult, failed, ok, skipped, warning } from "./check.server.ts";
import { NODE_SUPPORT_ENDS, RELEASE_SUPPORT_DAYS } from "./support-dates.ts";

/** After this time without security updates, the program must be replaced. */
const OVERDUE_DAYS = 183;

type Input = { clock: Clock; nodeVersion?: string };

/** Checks of the age of the program and of Node, by dates that the program contains: no network is used. */
export const SUPPORT_CHECKS: readonly Check<Input>[] = [
  { name: "version of Gatehouse", run: checkRelease },
  { name: "version of Node", run: checkNode },
];

function checkRelease({ clock }: Input): CheckResult {
  const releasedAt = readReleaseDate();
  const found = `Gatehouse ${readVersion()}`;
  if (releasedAt === null) return skipped(`the date of ${found} is unknown`);
  const endsAt = new Date(releasedAt.getTime() + RELEASE_SUPPORT_DAYS * DAY_MS);
  return supportResult(found, endsAt, { clock, fix: "Install the newest release (docs/operations.md, Upgrade)." });
}

function checkNode({ clock, nodeVersion = process.versions.node }: Input): CheckResult {
  const [major = ""] = nodeVersion.split(".");
  const end = NODE_SUPPORT_ENDS[major];
  const found = `Node ${nodeVersion}`;
  if (end === undefined) return ok(`${found}, which is newer than this release of Gatehouse`);
  return supportResult(found, new Date(end), {
    clock,
    fix: "Install a supported version of Node, and restart the server.",
  });
}

function supportResult(found: string, endsAt: Date, { clock, fix }: { clock: Clock; fix: string }): CheckResult {
  const daysPast = (clock.now().getTime() - endsAt.getTime()) / DAY_MS;
  const end = endsAt.toISOString().slice(0, 10);
  if (daysPast <= 0) return ok(`${found} is supported until ${end}`);
  const problem = `${found} gets no security updates since ${end}`;
  return daysPast > OVERDUE_DAYS ? failed(problem, fix) : warning(problem, fix);
}

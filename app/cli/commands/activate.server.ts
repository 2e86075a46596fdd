import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import type { CommandLine } from "#app/cli/command-line.server.ts";
import { CommandError, EXIT } from "#app/cli/output/command-error.ts";
import {
  findRelease,
  type InstalledReleases,
  isCopyOf,
  keepRelease,
  linkRelease,
  removeUnusedCopies,
  requireInstalledReleases,
  unlinkPrevious,
} from "#app/cli/release/installed-releases.server.ts";
import { runRelease } from "#app/cli/release/run-release.server.ts";
import { findSystemService, type SystemService } from "#app/cli/release/system-service.server.ts";
import { readVersionIn } from "#app/config/version.server.ts";

/** `gatehouse activate`, which the Debian package runs as root after it was unpacked. */
export function addActivateCommand(program: Command, line: CommandLine): void {
  program
    .command("activate", { hidden: true })
    .description("put the unpacked release into service; run by the Debian package")
    .action(() => activate(line));
}

/** The change from one release to another. `former`: null if none was in service. `beforeFormer`: its `previous`. */
type Upgrade = {
  releases: InstalledReleases;
  beforeFormer: string | null;
  former: string | null;
  next: string;
  env: CommandLine["env"];
};

/**
 * Each step can be repeated: after a kill at any of them, the next run continues. The service can start between all of
 * them, because `current` changes before the schema, and the program migrates at its start too.
 */
function activate({ env, output }: CommandLine): void {
  const releases = requireInstalledReleases();
  removeUnusedCopies(releases);
  const current = findRelease(releases, "current");
  const isContinued = isCopyOf(current, releases);
  const next = isContinued ? current : keepRelease(releases);
  const previous = findRelease(releases, "previous");
  const links = isContinued ? { former: previous, beforeFormer: null } : { former: current, beforeFormer: previous };
  putIntoService({ releases, next, env, ...links }, { output, isChecked: isContinued });
  removeUnusedCopies(releases);
}

/** `isChecked`: an earlier run found that the release can be put into service. */
function putIntoService(
  upgrade: Upgrade,
  { output, isChecked }: { output: CommandLine["output"]; isChecked: boolean },
): void {
  const { releases, next, env } = upgrade;
  const version = readVersionIn(next);
  const isSetUp = existsSync(join(releases.root, "etc/gatehouse/gatehouse.env"));
  if (isSetUp && !isChecked && !runRelease(releases, { release: next, args: ["migrate", "--check"], env })) {
    throw refusal(upgrade);
  }
  const service = isSetUp ? findSystemService(releases.root) : null;
  if (service !== null) {
    replace(upgrade, { service, output });
    return;
  }
  switchTo(upgrade);
  output.note(
    isSetUp
      ? `Restart the server now: it then runs Gatehouse ${version}, and migrates the database first.`
      : `Gatehouse ${version} is installed. Run: gatehouse setup`,
  );
}

function switchTo({ releases, former, next }: Upgrade): void {
  // A repaired installation of the same version keeps the earlier release as the one to return to.
  if (former !== null && readVersionIn(former) !== readVersionIn(next)) linkRelease(releases, "previous", former);
  linkRelease(releases, "current", next);
}

function replace(
  upgrade: Upgrade,
  { service, output }: { service: SystemService; output: CommandLine["output"] },
): void {
  const { releases, next, env } = upgrade;
  const isInUse = service.isInUse();
  service.stop();
  switchTo(upgrade);
  if (!runRelease(releases, { release: next, args: ["migrate"], env })) {
    const error = returnToFormer(upgrade);
    if (isInUse) service.start();
    throw error;
  }
  if (findRelease(releases, "previous") !== null) output.note("To go back, run: gatehouse rollback");
  if (isInUse) service.start();
}

/** All migrations are one transaction, so the former release can use the database, unless an earlier run migrated it. */
function returnToFormer(upgrade: Upgrade): CommandError {
  const { releases, beforeFormer, former, next, env } = upgrade;
  if (former !== null && runRelease(releases, { release: former, args: ["migrate", "--plan"], env })) {
    linkRelease(releases, "current", former);
    if (beforeFormer === null) unlinkPrevious(releases);
    else linkRelease(releases, "previous", beforeFormer);
    return refusal(upgrade);
  }
  return new CommandError(EXIT.failed, [
    `Gatehouse ${readVersionIn(next)} cannot use the database.`,
    "Solve the problem above, then run: dpkg --configure gatehouse",
  ]);
}

function refusal({ releases, former, next }: Upgrade): CommandError {
  const version = readVersionIn(next);
  removeUnusedCopies(releases);
  const state = former === null ? [] : [`Nothing was changed: ${readVersionIn(former)} stays in service.`];
  return new CommandError(EXIT.failed, [
    [`Gatehouse ${version} cannot be put into service.`, ...state].join(" "),
    "Solve the problem above, then run: dpkg --configure gatehouse",
  ]);
}

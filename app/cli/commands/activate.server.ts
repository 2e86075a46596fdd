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
import { layoutUnder } from "#app/cli/setup/layout.server.ts";
import { readServiceConfig } from "#app/cli/setup/settings.server.ts";
import { findSystemService, type SystemService } from "#app/cli/system-service.server.ts";
import { readVersionIn } from "#app/config/version.server.ts";

/** `gatehouse activate`, which the Debian package runs as root after it was unpacked. */
export function addActivateCommand(program: Command, line: CommandLine): void {
  program
    .command("activate", { hidden: true })
    .description("put the unpacked release into service; run by the Debian package")
    .action(() => activate(line));
}

const CONFIGURE = "dpkg --configure gatehouse";

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
async function activate({ env, output }: CommandLine): Promise<void> {
  const releases = requireInstalledReleases();
  removeUnusedCopies(releases);
  const current = findRelease(releases, "current");
  const isContinued = isCopyOf(current, releases);
  const next = isContinued ? current : keepRelease(releases);
  const previous = findRelease(releases, "previous");
  const links = isContinued ? { former: previous, beforeFormer: null } : { former: current, beforeFormer: previous };
  await putIntoService({ releases, next, env, ...links }, { output, isChecked: isContinued });
  removeUnusedCopies(releases);
}

/** `isChecked`: an earlier run found that the release can be put into service. */
async function putIntoService(
  upgrade: Upgrade,
  { output, isChecked }: { output: CommandLine["output"]; isChecked: boolean },
): Promise<void> {
  const { releases, next, env } = upgrade;
  const version = readVersionIn(next);
  const isSetUp = existsSync(join(releases.root, "etc/gatehouse/gatehouse.env"));
  if (isSetUp && !isChecked && !runRelease(releases, { release: next, args: ["migrate", "--check"], env })) {
    throw refusal(upgrade);
  }
  const service = isSetUp ? findSystemService(releases.root, { again: CONFIGURE }) : null;
  if (service !== null) return replace(upgrade, { service, output });
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

async function replace(
  upgrade: Upgrade,
  { service, output }: { service: SystemService; output: CommandLine["output"] },
): Promise<void> {
  const { releases, next, env } = upgrade;
  const address = readServiceConfig(layoutUnder(releases.root));
  const start = service.isInUse() ? () => service.start(address) : async () => null;
  service.stop();
  switchTo(upgrade);
  if (!runRelease(releases, { release: next, args: ["migrate"], env })) {
    const error = returnToFormer(upgrade);
    const problem = await start();
    if (problem !== null) output.problem(["The service is not ready.", ...problem]);
    throw error;
  }
  const problem = await start();
  const goBack = findRelease(releases, "previous") === null ? [] : ["To go back, run: gatehouse rollback"];
  if (problem === null) for (const line of goBack) output.note(line);
  // dpkg gets no error: it would run this again with its next command, and so undo a rollback (decision 095).
  else output.problem([`Gatehouse ${readVersionIn(next)} is in service, but not ready.`, ...problem, ...goBack]);
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
    `Solve the problem above, then run: ${CONFIGURE}`,
  ]);
}

function refusal({ releases, former, next }: Upgrade): CommandError {
  const version = readVersionIn(next);
  removeUnusedCopies(releases);
  const state = former === null ? [] : [`Nothing was changed: ${readVersionIn(former)} stays in service.`];
  return new CommandError(EXIT.failed, [
    [`Gatehouse ${version} cannot be put into service.`, ...state].join(" "),
    `Solve the problem above, then run: ${CONFIGURE}`,
  ]);
}

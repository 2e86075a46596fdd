import type { Command } from "commander";
import type { CommandLine } from "#app/cli/command-line.server.ts";
import { examples } from "#app/cli/command-options.ts";
import { CommandError, EXIT } from "#app/cli/output/command-error.ts";
import { requireConfirmation } from "#app/cli/output/prompts.server.ts";
import {
  findRelease,
  type InstalledReleases,
  linkRelease,
  removeUnusedCopies,
  requireInstalledReleases,
  unlinkPrevious,
} from "#app/cli/release/installed-releases.server.ts";
import { runRelease } from "#app/cli/release/run-release.server.ts";
import { layoutUnder } from "#app/cli/setup/layout.server.ts";
import { readServiceConfig } from "#app/cli/setup/settings.server.ts";
import { findSystemService } from "#app/cli/system-service.server.ts";
import { readVersionIn } from "#app/config/version.server.ts";

/** `gatehouse rollback`: returns to the release before the last upgrade. The package's command runs it as root. */
export function addRollbackCommand(program: Command, line: CommandLine): void {
  const command = program
    .command("rollback")
    .description(
      "return to the release before the last upgrade; restores the database's copy if the upgrade migrated it",
    )
    .option("--yes", "skip the confirmation; required without a terminal")
    .action((options: { yes?: boolean }) => rollBack(line, options));
  examples(command, ["rollback"]);
}

async function rollBack({ env, streams, output }: CommandLine, options: { yes?: boolean }) {
  const releases = requireInstalledReleases();
  const release = findRelease(releases, "previous");
  if (release === null) throw new CommandError(EXIT.refused, ["There is no earlier release to return to."]);
  const version = readVersionIn(release);
  if (!runRelease(releases, { release, args: ["restore", "--before-upgrade", "--check"], env })) {
    throw refusal(releases, version);
  }
  await requireConfirmation(streams, { yes: options.yes ?? false, question: `Return to Gatehouse ${version}?` });
  const address = readServiceConfig(layoutUnder(releases.root));
  const service = findSystemService(releases.root, { again: "gatehouse rollback" });
  const start = service?.isInUse() ? () => service.start(address) : async () => null;
  service?.stop();
  if (!runRelease(releases, { release, args: ["restore", "--before-upgrade", "--yes"], env })) {
    // Unchanged.
    await start();
    throw refusal(releases, version);
  }
  linkRelease(releases, "current", release);
  const problem = await start();
  // Last, because a killed rollback continues as long as this link exists.
  unlinkPrevious(releases);
  removeUnusedCopies(releases);
  if (service === null) output.note("systemd does not run here: start the server.");
  output.note(`Gatehouse ${version} is in service again. dpkg still lists the newer package: install the package of`);
  output.note(`${version} again, and keep it with: apt-mark hold gatehouse`);
  if (problem === null) return;
  throw new CommandError(EXIT.failed, [`Gatehouse ${version} is in service again, but not ready.`, ...problem]);
}

function refusal({ folder }: InstalledReleases, version: string): CommandError {
  return new CommandError(EXIT.refused, [
    `Gatehouse ${version} cannot be put into service again. Nothing was changed.`,
    "Solve the problem above, then run gatehouse rollback again. Commands of the earlier release are run like this:",
    `  GATEHOUSE_RELEASE=${folder}/previous gatehouse restore --help`,
  ]);
}

import type { Command } from "commander";
import { type CommandLine, requireConfig } from "#app/cli/command-line.server.ts";
import { examples, jsonOption } from "#app/cli/command-options.ts";
import { ADMINISTRATION_CHECKS } from "#app/cli/doctor/administration-checks.server.ts";
import { BACKUP_CHECKS } from "#app/cli/doctor/backup-checks.server.ts";
import { type Finding, runChecks } from "#app/cli/doctor/check.server.ts";
import { CONSISTENCY_CHECKS } from "#app/cli/doctor/consistency-checks.server.ts";
import { DATABASE_CHECKS } from "#app/cli/doctor/database-checks.server.ts";
import { DELIVERY_CHECKS } from "#app/cli/doctor/delivery-checks.server.ts";
import { FILE_CHECKS } from "#app/cli/doctor/file-checks.server.ts";
import { countLine, findingLines } from "#app/cli/doctor/finding-lines.ts";
import { NETWORK_CHECKS } from "#app/cli/doctor/network-checks.server.ts";
import { type Break, findBreaks, parsePlan } from "#app/cli/doctor/plan.server.ts";
import { PROXY_CHECKS } from "#app/cli/doctor/proxy-checks.server.ts";
import { SECRET_CHECKS } from "#app/cli/doctor/secret-checks.server.ts";
import { SUPPORT_CHECKS } from "#app/cli/doctor/support-checks.server.ts";
import { CommandError, EXIT } from "#app/cli/output/command-error.ts";
import { explainError } from "#app/cli/output/errors.server.ts";
import { table } from "#app/cli/output/table.ts";
import { systemClock } from "#app/context.server.ts";

type DoctorOptions = { plan?: string[]; json?: boolean };

/** `gatehouse doctor`: checks an installation and prints problems with their solution. Changes nothing. */
export function addDoctorCommand(program: Command, line: CommandLine): void {
  const command = program
    .command("doctor")
    .description("check the installation; exits with 1 if a check fails")
    .option(
      "--plan <change...>",
      "list everything that a change would break: issuer=…, rpId=…, scopes=… (all remaining scopes)",
    )
    .addOption(jsonOption())
    .action((options: DoctorOptions) =>
      options.plan ? runPlan(line, options.plan, options) : runDoctor(line, options),
    );
  examples(command, [
    "doctor",
    "doctor --json | jq '.findings[] | select(.state == \"failed\")'",
    "doctor --plan issuer=https://login.example.com",
  ]);
}

async function runDoctor(line: CommandLine, options: DoctorOptions) {
  const { config } = requireConfig(line.env);
  const findings = [
    // They run before the database is opened, because opening it corrects the permissions of its files.
    ...(await runChecks(FILE_CHECKS, { config, env: line.env })),
    ...(await checkDatabase(line)),
    ...(await runChecks(NETWORK_CHECKS, { config })),
    ...(await runChecks(PROXY_CHECKS, { config, clock: systemClock })),
    ...(await runChecks(SUPPORT_CHECKS, { clock: systemClock })),
  ];
  const isHealthy = findings.every(({ state }) => state !== "failed");
  if (options.json) line.output.json({ ok: isHealthy, findings });
  else line.output.lines(findings.flatMap(findingLines));
  if (!options.json) line.output.note(countLine(findings));
  if (!isHealthy) throw new CommandError(EXIT.failed);
}

async function checkDatabase({ withUnchangedContext }: CommandLine): Promise<Finding[]> {
  const opened = { check: "database", state: "ok", found: "it can be opened and is up to date", fix: null } as const;
  try {
    const checks = [
      ...DATABASE_CHECKS,
      ...SECRET_CHECKS,
      ...BACKUP_CHECKS,
      ...DELIVERY_CHECKS,
      ...CONSISTENCY_CHECKS,
      ...ADMINISTRATION_CHECKS,
    ];
    return [opened, ...(await withUnchangedContext((context) => runChecks(checks, context)))];
  } catch (error) {
    const [found = "it cannot be opened", ...rest] = explainError(error).lines;
    const fix = rest.join(" ") || "The other checks of the database need an open database.";
    return [{ ...opened, state: "failed", found, fix }];
  }
}

async function runPlan(
  { output, withUnchangedContext }: CommandLine,
  assignments: readonly string[],
  options: DoctorOptions,
) {
  const plan = parsePlan(assignments);
  const breaks = await withUnchangedContext((context) => findBreaks(context, plan));
  if (options.json) output.json({ ok: breaks.length === 0, plan, breaks });
  else if (breaks.length === 0) output.lines(["The change would break nothing."]);
  else output.lines(table(["kind", "name", "problem", "solution"], breaks.map(rowOf)));
  if (breaks.length > 0) throw new CommandError(EXIT.failed);
}

function rowOf({ kind, name, breaks, fix }: Break): string[] {
  return [kind, name, breaks, fix];
}

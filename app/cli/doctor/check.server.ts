import { explainError } from "#app/cli/output/errors.server.ts";
import type { BaseContext } from "#app/context.server.ts";

/**
 * The result of a check. `failed`: must be repaired. `warning`: may be intended. `skipped`: does not apply to this
 * installation. `fix` is the solution.
 */
export type CheckResult = {
  state: "ok" | "warning" | "failed" | "skipped";
  found: string;
  fix: string | null;
};

/** A result with the name of its check. */
export type Finding = { check: string } & CheckResult;

/** A check: its printed name and its function. */
export type Check<Input> = { name: string; run: (input: Input) => CheckResult | Promise<CheckResult> };

/** A check that needs the database. */
export type DatabaseCheck = Check<BaseContext>;

const TIMEOUT_MS = 30_000;

/** Runs checks one after the other. A check that throws or takes too long is a failed one; the others still run. */
export async function runChecks<Input>(checks: readonly Check<Input>[], input: Input): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const { name, run } of checks) findings.push({ check: name, ...(await runCheck(run, input)) });
  return findings;
}

async function runCheck<Input>(run: Check<Input>["run"], input: Input): Promise<CheckResult> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<CheckResult>((resolve) => {
    const result = failed(
      `the check took longer than ${TIMEOUT_MS / 1000} s`,
      "Check the load of this machine, then run gatehouse doctor again.",
    );
    timer = setTimeout(() => resolve(result), TIMEOUT_MS);
  });
  try {
    return await Promise.race([run(input), timeout]);
  } catch (error) {
    return failed(explainError(error).lines.join(" "), "The check failed with this error and could not be completed.");
  } finally {
    clearTimeout(timer);
  }
}

/** Result of a check without a problem. */
export function ok(found: string): CheckResult {
  return { state: "ok", found, fix: null };
}

/** Result of a check whose finding may be intended. */
export function warning(found: string, fix: string): CheckResult {
  return { state: "warning", found, fix };
}

/** Result of a check whose finding must be repaired. */
export function failed(found: string, fix: string): CheckResult {
  return { state: "failed", found, fix };
}

/** Result of a check that found a folder in which the service cannot create files. */
export function unwritableFolder(folder: string): CheckResult {
  return failed(
    `the service cannot create files in ${folder}`,
    `Run as root: chown USER ${folder}, with the user of the service.`,
  );
}

/** Result of a check that does not apply to this installation. */
export function skipped(found: string): CheckResult {
  return { state: "skipped", found, fix: null };
}

import { explainError } from "#app/cli/output/explain-error.server.ts";
import type { BaseContext } from "#app/context.server.ts";
import { type Finding, failed, type ValidationError } from "./finding.ts";

/** One check: its name, as it is printed, and how it is made. */
export type Check<Input> = { name: string; run: (input: Input) => ValidationError | Promise<ValidationError> };

/** A check that needs the database. */
export type DatabaseCheck = Check<BaseContext>;

const PATIENCE_MS = 30_000;

/** Makes checks one after the other. One that breaks down is a failed one, and the others are made all the same. */
export async function makeChecks<Input>(checks: readonly Check<Input>[], input: Input): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const { name, run } of checks) findings.push({ check: name, ...(await makeCheck(run, input)) });
  return findings;
}

async function makeCheck<Input>(run: Check<Input>["run"], input: Input): Promise<ValidationError> {
  let timer: NodeJS.Timeout | undefined;
  const tooLong = new Promise<ValidationError>((resolve) => {
    const verdict = failed(
      `took longer than ${PATIENCE_MS / 1000} s`,
      "Look at the load of this machine, and try again.",
    );
    timer = setTimeout(() => resolve(verdict), PATIENCE_MS);
  });
  try {
    return await Promise.race([run(input), tooLong]);
  } catch (error) {
    return failed(
      explainError(error).lines.join(" "),
      "The check itself broke down: its message is all that is known.",
    );
  } finally {
    clearTimeout(timer);
  }
}

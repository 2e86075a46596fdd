/**
 * What a check found. `failed` has to be put right, a `warning` may be meant that way; `fix` says how. A check that does
 * not apply here, or could not be made, is `skipped`.
 */
export type Finding = {
  check: string;
  state: "ok" | "warning" | "failed" | "skipped";
  found: string;
  fix: string | null;
};

/** A part of a check: what it found, without the check's name. */
export type ValidationError = Omit<Finding, "check">;

/** All is well. */
export function ok(found: string): ValidationError {
  return { state: "ok", found, fix: null };
}

/** It works, but hardly as it was meant. */
export function warning(found: string, fix: string): ValidationError {
  return { state: "warning", found, fix };
}

/** It has to be put right. */
export function failed(found: string, fix: string): ValidationError {
  return { state: "failed", found, fix };
}

/** Does not apply here. */
export function skipped(found: string): ValidationError {
  return { state: "skipped", found, fix: null };
}

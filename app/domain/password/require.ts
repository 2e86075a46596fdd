import { DomainError } from "#app/domain/errors.ts";
import { checkPasswordRules, PASSWORD_RULES } from "./rules.ts";

/**
 * A new password that meets the rules, as it came. Throws DomainError "empty-password", or "password-strength" with the
 * names of the broken rules.
 */
export function requirePassword(password: string): string {
  if (password === "") throw new DomainError("empty-password");
  const verdict = checkPasswordRules(password);
  if (verdict.ok) return password;
  const broken = PASSWORD_RULES.filter((rule) => !verdict[rule]);
  throw new DomainError("password-strength", { detail: broken.join(", ") });
}

import type { Config } from "#app/config/config.ts";
import { DomainError } from "#app/domain/errors.ts";
import { checkNewPassword, type NewPasswordVerdict } from "./check-new.server.ts";
import type { PasswordOwner } from "./own-names.ts";

/**
 * Checks a password that an administrator sets, and returns it unchanged. Throws DomainError "empty-password";
 * "password-strength" with the names of the broken rules; "password-common" with the reason.
 */
export async function requirePassword(
  context: { config: Pick<Config, "productName"> },
  password: string,
  user: PasswordOwner,
): Promise<string> {
  const verdict = await checkNewPassword(context, { password, repeat: null, user });
  if (verdict.kind === "ok") return verdict.password;
  throw new DomainError(verdict.code, { detail: detailOf(verdict) });
}

type Refusal = Extract<NewPasswordVerdict, { kind: "refused" }>;

function detailOf({ code, rules, containsName }: Refusal): string {
  if (code === "password-common") return containsName ? "name" : "listed";
  if (code !== "password-strength") return code;
  return rules.flatMap(({ rule, met }) => (met ? [] : [rule])).join(", ");
}

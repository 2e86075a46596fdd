import type { Config } from "#app/config/config.ts";
import { DomainError } from "#app/domain/base/errors.ts";
import { checkNewPassword, type NewPasswordResult } from "./check-new.server.ts";
import type { PasswordUser } from "./own-names.ts";

/**
 * Checks a password that an administrator sets, and returns it unchanged. Throws DomainError "empty-password";
 * "password-strength" with the names of the broken rules; "password-common" with the reason.
 */
export async function requirePassword(
  context: { config: Pick<Config, "productName"> },
  password: string,
  user: PasswordUser,
): Promise<string> {
  const result = await checkNewPassword(context, { password, repeat: null, user });
  if (result.kind === "ok") return result.password;
  throw new DomainError(result.code, { detail: detailOf(result) });
}

type Refusal = Extract<NewPasswordResult, { kind: "refused" }>;

function detailOf({ code, rules, containsName }: Refusal): string {
  if (code === "password-common") return containsName ? "name" : "listed";
  if (code !== "password-strength") return code;
  return rules.flatMap(({ rule, met }) => (met ? [] : [rule])).join(", ");
}

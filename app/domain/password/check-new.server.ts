import type { Config } from "#app/config/config.ts";
import { isCommonPassword } from "./block-list.server.ts";
import { containsOwnName, type PasswordUser } from "./own-names.ts";
import { areMet, checkRules, type RuleResult } from "./rules.ts";

/** Reasons to refuse a new password: section 5 of the specification, and "password-common" for one that is easy to guess. */
export type NewPasswordRefusal =
  | "empty-password"
  | "empty-password-repeat"
  | "passwords-not-equal"
  | "password-strength"
  | "password-common";

/**
 * Result of `checkNewPassword`. `rules` lists every rule for the checklist. `containsName`: the password is common
 * because it contains a name of the user or the product.
 */
export type NewPasswordResult =
  | { kind: "ok"; password: string }
  | { kind: "refused"; code: NewPasswordRefusal; rules: RuleResult[]; containsName: boolean };

/** A new password. `repeat` is null if the form has no second field. */
type NewPassword = { password: string; repeat: string | null; user: PasswordUser };

/** Checks a new password against the rules of section 5 of the specification, names of user and product, and the block list. */
export async function checkNewPassword(
  { config }: { config: Pick<Config, "productName"> },
  { password, repeat, user }: NewPassword,
): Promise<NewPasswordResult> {
  const rules = checkRules(password, repeat ?? undefined);
  const refuse = (code: NewPasswordRefusal, containsName = false): NewPasswordResult => {
    return { kind: "refused", code, rules, containsName };
  };
  if (password === "") return refuse("empty-password");
  if (repeat === "") return refuse("empty-password-repeat");
  if (rules.some(({ rule, met }) => rule === "equal" && !met)) return refuse("passwords-not-equal");
  if (!areMet(rules)) return refuse("password-strength");
  if (containsOwnName(password, user, config.productName)) return refuse("password-common", true);
  if (await isCommonPassword(password)) return refuse("password-common");
  return { kind: "ok", password };
}

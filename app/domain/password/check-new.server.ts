import type { Config } from "#app/config/config.ts";
import { isCommonPassword } from "./block-list.server.ts";
import { containsOwnName, type PasswordOwner } from "./own-names.ts";
import { areMet, checkRules, type RuleVerdict } from "./rules.ts";

/** What can be wrong with a new password; specification section 5, and "password-common" for one that others guess. */
export type NewPasswordRefusal =
  | "empty-password"
  | "empty-password-repeat"
  | "passwords-not-equal"
  | "password-strength"
  | "password-common";

/**
 * `rules`: every rule, met or not, for the page to show. `containsName`: why a password is common, because of a name of
 * the person or the product in it.
 */
export type NewPasswordVerdict =
  | { kind: "ok"; password: string }
  | { kind: "refused"; code: NewPasswordRefusal; rules: RuleVerdict[]; containsName: boolean };

/** `repeat` is null where a password is not typed twice. */
export type NewPassword = { password: string; repeat: string | null; user: PasswordOwner };

/**
 * Decides whether a person may have this password from now on: the rules of specification section 5, then the names that
 * everybody knows and the block list. `password` is the one to hash. Nothing is hashed or stored here.
 */
export async function checkNewPassword(
  { config }: { config: Pick<Config, "productName"> },
  { password, repeat, user }: NewPassword,
): Promise<NewPasswordVerdict> {
  const rules = checkRules(password, repeat ?? undefined);
  const refuse = (code: NewPasswordRefusal, containsName = false): NewPasswordVerdict => {
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

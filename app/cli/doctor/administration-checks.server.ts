import { listRoles } from "#app/domain/role/grant.server.ts";
import { type CheckResult, type DatabaseCheck, ok, skipped, warning } from "./check.server.ts";

type Context = Parameters<DatabaseCheck["run"]>[0];

/** Checks of the administration: its pages and the users who may use them. */
export const ADMINISTRATION_CHECKS: readonly DatabaseCheck[] = [{ name: "administrators", run: checkAdministrators }];

async function checkAdministrators({ store, config }: Context): Promise<CheckResult> {
  if (!config.adminPages) return skipped("ADMIN_PAGES is off: commands alone administer users");
  const administrators = (await listRoles({ store })).filter(
    ({ role, isBlocked }) => role === "administrator" && !isBlocked,
  );
  if (administrators.length > 0) return ok(administrators.map(({ username }) => username).join(", "));
  return warning(
    "no active user has the role administrator",
    "Give it to a user: gatehouse role grant NAME administrator. Or switch the pages off: ADMIN_PAGES=off",
  );
}

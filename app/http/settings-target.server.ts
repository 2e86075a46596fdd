import { z } from "zod";
import { settingsTarget } from "#app/domain/access/settings-path.ts";
import { settingsTargetCookie } from "./cookies.server.ts";
import type { LoadContext } from "./load-context.server.ts";
import { openSealedCookie } from "./sealed-cookie.server.ts";

const contentSchema = z.object({ target: z.string(), userId: z.string() });

type Deps = Pick<LoadContext, "config" | "secrets">;

/**
 * Returns the `Set-Cookie` header with which this browser keeps a page with its query during the sign-in of a user, or
 * drops an earlier one: for a page without a query, and without a user. The authorization request contains the path
 * alone, because it may be stored for a day.
 */
export async function keepTarget(
  { config, secrets }: Deps,
  { target, userId }: { target: string; userId: string | null },
): Promise<string> {
  if (userId === null || !target.includes("?")) return dropTarget({ config });
  const content: z.infer<typeof contentSchema> = { target, userId };
  return settingsTargetCookie.keep(config, await secrets.seal("settings-target", JSON.stringify(content)));
}

/** Returns the `Set-Cookie` header with which this browser drops the kept page. */
export function dropTarget({ config }: Pick<Deps, "config">): string {
  return settingsTargetCookie.clear(config);
}

/** Returns the kept page with its query if it has this path and was kept for this user, else the path. */
export async function findTarget(
  { config, secrets }: Deps,
  request: Request,
  { path, userId }: { path: string; userId: string },
): Promise<string> {
  const cookie = settingsTargetCookie.read(config, request.headers.get("cookie"));
  const content = await openSealedCookie(secrets, { purpose: "settings-target", schema: contentSchema, cookie });
  const target = content?.userId === userId ? settingsTarget(content.target) : path;
  return target.startsWith(`${path}?`) ? target : path;
}

import type { NotAllowed } from "#app/domain/settings/change.server.ts";
import { redirect303 } from "#app/http/reply.server.ts";
import { confirmUrl } from "#app/http/settings-session.server.ts";

/**
 * Where a change leads that was not allowed. A proof that is too old can be renewed. Where the access ended meanwhile, a
 * page is the one to say so: its guard looks again, and after a form that was sent twice it finds the settings open.
 * @param page the path of the form's page
 */
export function leadOn({ kind }: NotAllowed, page: string): Response {
  return redirect303(kind === "unauthorized" ? "/manage" : confirmUrl(page));
}

/** What a page says, and which header its answer has, where an attempt was not heard. */
export function waitFor({ retryAfterSeconds }: { retryAfterSeconds: number }) {
  const problem = { error: "throttled", waitMinutes: Math.ceil(retryAfterSeconds / 60) } as const;
  return [problem, { "Retry-After": String(retryAfterSeconds) }] as const;
}

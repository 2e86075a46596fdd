import { storeUsername } from "#app/db/repositories/user-credentials.server.ts";
import type { User } from "#app/db/schema.server.ts";
import { type Done, isFresh, type NotAllowed, type SettingsAccess } from "#app/domain/access/access.ts";
import { findSettingsUser } from "#app/domain/access/grant.server.ts";
import { recordSettings } from "#app/domain/access/record.server.ts";
import { hasCode } from "#app/domain/base/errors.ts";
import { createLimiter } from "#app/domain/throttle/limiter.server.ts";
import { type ParsedUsername, parseUsername } from "#app/domain/username/canonical.ts";
import { requireFreeName } from "#app/domain/username/require-free.server.ts";
import { HOUR_SECONDS } from "#app/durations.ts";
import type { RequestMetadata } from "#app/ports.ts";
import { type ChangeDeps, changeAccount } from "./change-account.server.ts";

/** Limit of name changes per user. Keep in step with docs/security.md. */
export const USERNAME_LIMIT = { name: "username-change/person", points: 5, windowSeconds: HOUR_SECONDS } as const;

const perUser = createLimiter(USERNAME_LIMIT);

/** Codes of refused user names. */
type UsernameRefusal = "username is empty" | "username is invalid" | "username not available";

/** Result of `changeUsername`. `retryAfterSeconds`: time until the next attempt is allowed. */
type UsernameChange =
  | Done
  | NotAllowed
  | { kind: "refused"; code: UsernameRefusal }
  | { kind: "throttled"; retryAfterSeconds: number };

/**
 * Changes the user name of the user in the settings; `username` is as typed. Limited per user, because the result shows
 * if a name is taken. Invalidates mailed password-reset links. The present name is accepted without a change.
 */
export async function changeUsername(
  context: ChangeDeps,
  access: SettingsAccess,
  input: RequestMetadata & { username: string },
): Promise<UsernameChange> {
  if (!isFresh(access, context.clock.now())) return { kind: "reauthentication_required" };
  const user = await findSettingsUser(context.store, access);
  if (!user) return { kind: "unauthorized" };
  if (input.username.trim() === "") return { kind: "refused", code: "username is empty" };
  const name = parseUsername(input.username);
  if (!name.ok) return { kind: "refused", code: "username is invalid" };
  if (name.username === user.username) return { kind: "done" };
  const result = await storeUnlessThrottled(context, { access, input, user, name });
  if (result.kind === "throttled") {
    const throttled = { type: "settings.throttled", outcome: "refused", reason: "username" } as const;
    await recordSettings(context, access, input, throttled);
  }
  return result;
}

/** Counts the request together with its result, so that a request without a response is not counted. */
async function storeUnlessThrottled(
  context: ChangeDeps,
  { access, input, user, name }: { access: SettingsAccess; input: RequestMetadata; user: User; name: NewName },
): Promise<UsernameChange> {
  try {
    return await changeAccount<UsernameChange>(context, access, input, {
      apply: async (store) => {
        const retryAfterSeconds = await perUser.count({ store, clock: context.clock }, user.id);
        if (retryAfterSeconds > 0) return { kind: "throttled", retryAfterSeconds };
        await storeUsername(store, user.id, name);
        await requireFreeName(store, name.canonical, user.id);
        return { kind: "done" };
      },
      template: { name: "username-changed", old: user.username, new: name.username },
      event: "username.changed",
      others: "end",
    });
  } catch (error) {
    if (!context.store.isUnique(error) && !hasCode(error, "username not available")) throw error;
    // The error rolled the count back.
    const retryAfterSeconds = await perUser.count(context, user.id);
    if (retryAfterSeconds > 0) return { kind: "throttled", retryAfterSeconds };
    return { kind: "refused", code: "username not available" };
  }
}

type NewName = Extract<ParsedUsername, { ok: true }>;

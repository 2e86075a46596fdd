import { removeKnownBrowsers } from "#app/db/repositories/known-browsers.server.ts";
import { consumeOneTimeToken, removeOneTimeTokensOfUser } from "#app/db/repositories/one-time-tokens.server.ts";
import { findUser, invalidateSessions } from "#app/db/repositories/users.server.ts";
import { type AuditDeps, recordEvent } from "#app/domain/audit/record.server.ts";
import { hashToken } from "#app/domain/secret/token-hash.server.ts";
import { endSessions } from "#app/domain/session/end-access.server.ts";
import { LINK_KINDS, PENDING_KINDS } from "#app/domain/user/token-kinds.ts";
import type { SignInMetadata } from "#app/ports.ts";

/** Result of `endAccessByLink`. "error-token": the link is unknown, used or expired, or the user is blocked. */
export type NotMeOutcome = { kind: "done"; username: string } | { kind: "error-token" };

/**
 * Consumes the link of a notice and ends everything that the account has open: sessions, grants, tokens, pending
 * sign-ins, links and known browsers. The password, the second factors and connected accounts stay; the caller mails a
 * link to a new password.
 */
export async function endAccessByLink(
  context: AuditDeps,
  { notMeToken, ...input }: { notMeToken: string } & Pick<SignInMetadata, "address" | "userAgent" | "requestId">,
): Promise<NotMeOutcome> {
  const { clock } = context;
  return context.store.tx(async (store) => {
    const now = clock.now();
    const presented = { kind: "not-me", tokenHash: hashToken(notMeToken), now } as const;
    const token = await consumeOneTimeToken(store, presented);
    const user = token?.userId ? await findUser(store, token.userId) : null;
    if (user?.status !== "active") return { kind: "error-token" };
    // An attacker may have requested the links. Before the user's row: a password reset locks its link first and the
    // user second; another order could deadlock.
    await removeOneTimeTokensOfUser(store, user.id, LINK_KINDS);
    await invalidateSessions(store, user.id, now);
    await removeOneTimeTokensOfUser(store, user.id, PENDING_KINDS);
    await removeKnownBrowsers(store, user.id);
    await endSessions({ store, clock }, user.id);
    const { address, userAgent, requestId } = input;
    const metadata = { userId: user.id, address, userAgent, requestId };
    await recordEvent(
      { ...context, store },
      { type: "session.ended", outcome: "ok", reason: "reported by link", ...metadata },
    );
    return { kind: "done", username: user.username };
  });
}

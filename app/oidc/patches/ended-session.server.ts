import type { KoaContextWithOIDC, Provider } from "oidc-provider";
import { endSession } from "#app/db/repositories/oidc-records.server.ts";
import { queueLogouts } from "#app/domain/backchannel-logout/queue.server.ts";
import { tombstoneEnd } from "#app/domain/engine-session/lifetime.ts";
import { SessionEndedError } from "#app/oidc/adapter.server.ts";
import { FORMER_ID } from "#app/oidc/record-properties.ts";
import { hasItsSession } from "#app/oidc/session.server.ts";
import type { Replace } from "./patch.server.ts";

type Session = InstanceType<Provider["Session"]>;

/** Sessions that had ended when oidc-provider saved them. */
const unsavedSessions = new WeakSet<object>();

/**
 * `Session.save`: does not save an ended session again. If the session ended since it was loaded, a tombstone of its uid
 * remains and the save is refused. When a session gets a new id, the adapter renames its row in one statement, and the
 * old id is not destroyed.
 */
export const rejectSavingEndedSession: Replace = (original) =>
  async function (this: Session & { oldId?: string }, ttl?: number): Promise<unknown> {
    // oidc-provider would destroy the record of `oldId`.
    if (this.oldId !== undefined) Object.assign(this, { [FORMER_ID]: this.oldId, oldId: undefined });
    try {
      return await original(this, ttl);
    } catch (error) {
      if (!(error instanceof SessionEndedError)) throw error;
      unsavedSessions.add(this);
      // oidc-provider does not save a destroyed session again.
      Object.assign(this, { destroyed: true });
      return this.jti;
    }
  };

/**
 * `Session.destroy` (sign-out, or replacement by another user's session): queues the session's back-channel logouts in
 * the same transaction. If that fails, the session remains and the user can retry.
 */
export const queueLogoutsOfSession: Replace = (original, { store, clock }) =>
  async function (this: Session): Promise<void> {
    const { uid, accountId } = this;
    const now = clock.now();
    await store.tx(async (tx) => {
      if (accountId) await queueLogouts({ store: tx, now }, accountId, { uid });
      await endSession(tx, uid, { until: tombstoneEnd(now) });
    });
    await original(this);
  };

/** `AuthorizationCode.find`, `AccessToken.find`: replaces oidc-provider's check of the session by `hasItsSession`. */
export const findInSession: Replace = (original, { provider }) =>
  async function (this: object, value: string, options?: object): Promise<unknown> {
    const token = await original(this, value, { ...options, ignoreSessionBinding: true });
    return (await hasItsSession(provider, token)) ? token : undefined;
  };

/**
 * Middleware of oidc-provider. If the session has ended, removes the session cookie from the response instead of
 * clearing it: the browser may have signed in again.
 */
export async function omitCookieOfEndedSession(ctx: KoaContextWithOIDC, next: () => Promise<void>): Promise<void> {
  await next();
  const session = ctx.oidc?.session;
  if (!session || !unsavedSessions.has(session)) return;
  const name = ctx.oidc.provider.cookieName("session");
  const kept = [ctx.response.get("set-cookie")]
    .flat()
    .filter((cookie) => cookie && !cookie.startsWith(`${name}=`) && !cookie.startsWith(`${name}.sig=`));
  if (kept.length > 0) ctx.set("set-cookie", kept);
  else ctx.remove("set-cookie");
}

import type { KoaContextWithOIDC, Provider } from "oidc-provider";
import { endSession } from "#app/db/repositories/oidc-records.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { queueLogouts } from "#app/domain/backchannel-logout/queue.server.ts";
import { tombstoneEnd } from "#app/domain/session/policy.ts";
import type { Clock } from "#app/ports.ts";
import { SessionEndedError } from "./adapter.server.ts";
import { FORMER_ID } from "./record-properties.ts";

type Session = InstanceType<Provider["Session"]>;

/** Sessions that had ended when oidc-provider saved them. */
const unsavedSessions = new WeakSet<object>();

/**
 * Prevents ended sessions from being saved again. oidc-provider loads a session at the start of a request and saves it
 * at the end; if the session ends in between, a tombstone of its uid remains and the save is refused. When a session
 * gets a new id, the adapter renames its row in one statement, and the old id is not destroyed.
 *
 * Destroying a session (sign-out, or replacement by another user's session) queues its back-channel logouts in the same
 * transaction. If that fails, the session remains and the user can retry.
 */
export function rejectSavingEndedSessions(provider: Provider, { store, clock }: { store: Store; clock: Clock }): void {
  const model = provider.Session.prototype;
  const { save, destroy } = model;

  model.save = async function (this: Session, ttl?: number): Promise<string> {
    const former: unknown = Reflect.get(this, "oldId");
    if (former !== undefined) {
      Reflect.set(this, "oldId", undefined);
      Reflect.set(this, FORMER_ID, former);
    }
    try {
      return await Reflect.apply(save, this, [ttl]);
    } catch (error) {
      if (!(error instanceof SessionEndedError)) throw error;
      unsavedSessions.add(this);
      // oidc-provider does not save a destroyed session again.
      Reflect.set(this, "destroyed", true);
      return this.jti;
    }
  };

  model.destroy = async function (this: Session): Promise<void> {
    const { uid, accountId } = this;
    const now = clock.now();
    await store.tx(async (tx) => {
      if (accountId) await queueLogouts({ store: tx, now }, accountId, { uid });
      await endSession(tx, uid, { until: tombstoneEnd(now) });
    });
    await Reflect.apply(destroy, this, []);
  };
}

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

import type { KoaContextWithOIDC, Provider } from "oidc-provider";
import { endSession } from "#app/db/repositories/oidc-records.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { queueLogouts } from "#app/domain/backchannel-logout/queue.server.ts";
import { tombstoneEnd } from "#app/domain/session/policy.ts";
import type { Clock } from "#app/ports.ts";
import { SessionEndedError } from "./adapter.server.ts";
import { FORMER_ID } from "./record-properties.ts";

type Session = InstanceType<Provider["Session"]>;

/** Sessions that had ended when the engine wanted to save them. */
const refused = new WeakSet<object>();

/**
 * Keeps sessions that have ended from coming back. The engine loads a session when a request begins and saves it when the
 * request ends; a sign-out in between leaves a tombstone of the session's uid, and the save is refused. A session that
 * only gets another id is not destroyed under the old one: the adapter renames it in one statement.
 *
 * A session that the engine destroys (a sign-out, or a session that makes way for another user) ends together with the
 * queueing of its back-channel logouts. When that fails, the session stays, and the user can try again.
 */
export function keepSessionsEnded(provider: Provider, { store, clock }: { store: Store; clock: Clock }): void {
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
      refused.add(this);
      // The engine saves no destroyed session again.
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
 * Engine middleware: where the session had ended, the response sets no session cookie, and none is deleted either: the
 * browser may have signed in again since.
 */
export async function leaveCookieOfEndedSession(ctx: KoaContextWithOIDC, next: () => Promise<void>): Promise<void> {
  await next();
  const session = ctx.oidc?.session;
  if (!session || !refused.has(session)) return;
  const name = ctx.oidc.provider.cookieName("session");
  const kept = [ctx.response.get("set-cookie")]
    .flat()
    .filter((cookie) => cookie && !cookie.startsWith(`${name}=`) && !cookie.startsWith(`${name}.sig=`));
  if (kept.length > 0) ctx.set("set-cookie", kept);
  else ctx.remove("set-cookie");
}

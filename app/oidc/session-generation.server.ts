import { Provider } from "oidc-provider";
import type { SessionVisit } from "#app/domain/session/engine-session.server.ts";
import { FORMER_ID, GENERATION, PERSISTED } from "./record-properties.ts";

/**
 * Adds our properties to oidc-provider's models: the user's generation, so that a password change or a block
 * invalidates sessions, grants and codes at once, even those being saved concurrently; last visit and start of a
 * session; and the adapter's markers (record-properties.ts).
 */
export function addOwnProperties(provider: Provider): void {
  addToPayload(provider.Session, [GENERATION, "visit", "signedInAt", PERSISTED, FORMER_ID]);
  addToPayload(provider.Grant, [GENERATION, PERSISTED]);
  addToPayload(provider.AuthorizationCode, [GENERATION]);
}

function addToPayload(model: object, names: readonly string[]): void {
  const existing: unknown = Reflect.get(model, "IN_PAYLOAD");
  const properties = [...(Array.isArray(existing) ? existing : []), ...names];
  Object.defineProperty(model, "IN_PAYLOAD", { get: () => properties });
}

/** Sets the last visit of a session, which is shown in the settings. oidc-provider saves it with the session. */
export function setVisit(session: object, visit: SessionVisit): void {
  Reflect.set(session, "visit", visit);
}

/** Returns the generation of a session, grant or code; null if it has none. */
export function generationOf(session: object): number | null {
  const generation: unknown = Reflect.get(session, GENERATION);
  return typeof generation === "number" ? generation : null;
}

/** Sets the generation, which oidc-provider saves with the record. Null never equals a user's generation. */
export function setGeneration(record: object, generation: number | null): void {
  Reflect.set(record, GENERATION, generation);
}

/** Returns the start of the session, in seconds since 1970; null for a session without user or of an older version. */
export function signedInAtOf(session: object): number | null {
  const at: unknown = Reflect.get(session, "signedInAt");
  return typeof at === "number" ? at : null;
}

/**
 * Makes a session take the times of the resumed sign-in: its start, and no auth_time if that is unknown, where
 * oidc-provider would set the current time. It saves the session even if the request fails later.
 */
export function applySignInTimes(provider: Provider): void {
  const model = provider.Session.prototype;
  const { loginAccount } = model;
  model.loginAccount = function (this: Session, details) {
    Reflect.apply(loginAccount, this, [details]);
    const signedInAt = Provider.ctx?.oidc.entities.Interaction?.result?.login?.signedInAt;
    if (typeof signedInAt === "number") Reflect.set(this, "signedInAt", signedInAt);
    if (details.loginTs === undefined) delete this.loginTs;
  };
}

type Session = InstanceType<Provider["Session"]>;

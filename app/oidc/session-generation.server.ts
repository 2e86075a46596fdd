import { Provider } from "oidc-provider";
import type { SessionVisit } from "#app/domain/session/engine-session.server.ts";
import { FORMER_ID, GENERATION, PERSISTED } from "./record-properties.ts";

/**
 * Lets the engine's models carry properties of ours: the user's generation, so that a password change or a block voids
 * sessions, grants and codes at once, also those that another request is saving at that moment; the last visit and the
 * beginning of a session; and what the adapter needs to know when a record is saved again (record-properties.ts).
 */
export function carryOurs(provider: Provider): void {
  addToPayload(provider.Session, [GENERATION, "visit", "signedInAt", PERSISTED, FORMER_ID]);
  addToPayload(provider.Grant, [GENERATION, PERSISTED]);
  addToPayload(provider.AuthorizationCode, [GENERATION]);
}

function addToPayload(model: object, names: readonly string[]): void {
  const known: unknown = Reflect.get(model, "IN_PAYLOAD");
  const properties = [...(Array.isArray(known) ? known : []), ...names];
  Object.defineProperty(model, "IN_PAYLOAD", { get: () => properties });
}

/** Notes from where the session was used; people see it in their settings. The engine saves it with the session. */
export function setVisit(session: object, visit: SessionVisit): void {
  Reflect.set(session, "visit", visit);
}

/** The generation that a session, grant or code was made with; null where it has none. */
export function generationOf(session: object): number | null {
  const generation: unknown = Reflect.get(session, GENERATION);
  return typeof generation === "number" ? generation : null;
}

/** Writes the generation; the engine saves it with the record. Null never equals a user's generation. */
export function setGeneration(record: object, generation: number | null): void {
  Reflect.set(record, GENERATION, generation);
}

/** When the session began, in seconds since 1970; null for a session nobody is signed in to, or of an older version. */
export function signedInAtOf(session: object): number | null {
  const at: unknown = Reflect.get(session, "signedInAt");
  return typeof at === "number" ? at : null;
}

/**
 * Makes a session take the times of the sign-in that is resumed: when the session began, and, where no time of a proof is
 * known, none. The engine itself puts the current time in the place of none; it saves the session also when the request
 * fails afterwards.
 */
export function takeTimesOfSignIn(provider: Provider): void {
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

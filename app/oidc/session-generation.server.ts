import type { Provider } from "oidc-provider";
import type { SessionVisit } from "#app/domain/session/engine-session.server.ts";

/**
 * Teaches the engine's session to carry the person's generation, so that a password change or a block voids every
 * session at once, also one that another request is saving at that moment; who visited last; and when the session began.
 */
export function carryOurs(provider: Provider): void {
  const model: object = provider.Session;
  const known: unknown = Reflect.get(model, "IN_PAYLOAD");
  const properties = [...(Array.isArray(known) ? known : []), "generation", "visit", "signedInAt"];
  Object.defineProperty(model, "IN_PAYLOAD", { get: () => properties });
}

/** Notes from where the session was used; people see it in their settings. The engine saves it with the session. */
export function setVisit(session: object, visit: SessionVisit): void {
  Reflect.set(session, "visit", visit);
}

/** The generation a session was made with, or null for a session nobody is signed in to. */
export function generationOf(session: object): number | null {
  const generation: unknown = Reflect.get(session, "generation");
  return typeof generation === "number" ? generation : null;
}

/** Writes the generation; the engine saves it with the session. */
export function setGeneration(session: object, generation: number): void {
  Reflect.set(session, "generation", generation);
}

/** When the session began, in seconds since 1970; null for a session nobody is signed in to, or of an older version. */
export function signedInAtOf(session: object): number | null {
  const at: unknown = Reflect.get(session, "signedInAt");
  return typeof at === "number" ? at : null;
}

/** Writes when the session began; the engine saves it with the session. */
export function setSignedInAt(session: object, at: number): void {
  Reflect.set(session, "signedInAt", at);
}

import type { SessionVisit } from "#app/domain/engine-session/engine-session.server.ts";
import { GENERATION } from "./record-properties.ts";

/** Sets the last visit of a session, which is shown in the settings. oidc-provider saves it with the session. */
export function setVisit(session: object, visit: SessionVisit): void {
  Object.assign(session, { visit });
}

/** Returns the generation of a session, grant or code; null if it has none. */
export function generationOf(session: object): number | null {
  const generation = GENERATION in session ? session[GENERATION] : null;
  return typeof generation === "number" ? generation : null;
}

/** Sets the generation, which oidc-provider saves with the record. Null never equals a user's generation. */
export function setGeneration(record: object, generation: number | null): void {
  Object.assign(record, { [GENERATION]: generation });
}

/** Returns the start of the session, in seconds since 1970; null for a session without user or of an older version. */
export function signedInAtOf(session: object): number | null {
  const at = "signedInAt" in session ? session.signedInAt : null;
  return typeof at === "number" ? at : null;
}

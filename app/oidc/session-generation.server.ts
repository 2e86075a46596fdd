import type { Provider } from "oidc-provider";

/**
 * Teaches the engine's session to carry the person's generation, so that a password change or a block voids every
 * session at once, also one that another request is saving at that moment.
 */
export function carryGeneration(provider: Provider): void {
  const model: object = provider.Session;
  const known: unknown = Reflect.get(model, "IN_PAYLOAD");
  const properties = [...(Array.isArray(known) ? known : []), "generation"];
  Object.defineProperty(model, "IN_PAYLOAD", { get: () => properties });
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

import type { IncomingMessage, ServerResponse } from "node:http";
import type { Provider } from "oidc-provider";
import type { Clock } from "#app/ports.ts";
import { isOver } from "./lifetimes.server.ts";
import { generationOf, signedInAtOf } from "./session-generation.server.ts";

/** What the pages know of the engine's session of this browser. */
export type EngineSession = {
  /** Stays the same as long as the person stays signed in; the cookie's value changes more often. */
  uid: string;
  accountId: string | null;
  /** When the user last proved who they are; null where the provider that they signed in with did not say. */
  authTime: Date | null;
  /** When the session began, in seconds since 1970. */
  signedInAt: number | null;
  amr: string[];
  acr: string | null;
  /** The person's generation when they signed in; another one today means the session is void. */
  generation: number | null;
};

/** The engine's session that this request's cookie names, or null when there is none (any more). */
export async function readSession(
  provider: Provider,
  request: IncomingMessage,
  response: ServerResponse,
  clock: Clock,
): Promise<EngineSession | null> {
  const session = await provider.Session.get(provider.createContext(request, response));
  return viewOf(session, clock);
}

/** The engine's session with this uid, or null when there is none (any more). */
export async function findSession(provider: Provider, uid: string, clock: Clock): Promise<EngineSession | null> {
  const session = await provider.Session.findByUid(uid);
  return session ? viewOf(session, clock) : null;
}

type Session = InstanceType<Provider["Session"]>;

function viewOf(session: Session, clock: Clock): EngineSession | null {
  // A session that was not found is a fresh one without a time of expiry.
  if (!session.exp || isOver(session, clock.now())) return null;
  return {
    uid: session.uid,
    accountId: session.accountId ?? null,
    authTime: session.loginTs ? new Date(session.loginTs * 1000) : null,
    signedInAt: signedInAtOf(session) ?? session.loginTs ?? null,
    amr: Array.isArray(session.amr) ? session.amr.map(String) : [],
    acr: session.acr ?? null,
    generation: generationOf(session),
  };
}

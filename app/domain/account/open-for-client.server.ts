import type { Config } from "#app/config/config.ts";
import { findClient } from "#app/db/repositories/clients.server.ts";
import { createSettingsToken, SETTINGS_TOKEN_SECONDS } from "#app/domain/access/token.server.ts";
import { type AuditDeps, recordEvent } from "#app/domain/audit/record.server.ts";
import { REMEMBERED_DEVICE } from "#app/domain/engine-session/subject.server.ts";
import { findSubjectOfSession, type SessionIdentity } from "#app/domain/sign-in-policy/live-session.server.ts";
import type { Random } from "#app/ports.ts";

/** Dependencies of `openForClient`. */
type OpenDeps = AuditDeps & { random: Random; config: Pick<Config, "issuer" | "mfaPolicy" | "mfaRememberDays"> };

/**
 * A client's request to open the settings. `session`: the session of its access token, null if the token is invalid.
 * `clientId`: the authenticated client.
 */
type OpenForClient = {
  session: (SessionIdentity & { uid: string; authTime: Date | null }) | null;
  clientId: string;
  returnToUrl: string | null;
  address: string;
  requestId: string;
};

/** Result of `openForClient`. "refused": the client must not open the settings, or its access token is invalid. */
type Opening =
  /** `url`: URL to redirect the browser to within `expiresInSeconds`. */
  | { kind: "opened"; url: string; expiresInSeconds: number }
  | { kind: "refused" }
  /** The return URL does not exactly match a registered one. */
  | { kind: "return url refused" };

/** Issues a single-use URL that opens the settings, for a client that may open them. */
export async function openForClient(context: OpenDeps, input: OpenForClient): Promise<Opening> {
  const { session, clientId, returnToUrl } = input;
  const client = await findClient(context.store, clientId);
  if (!client?.mayOpenSettings) return refuse(context, input, "client");
  const subject = await findSubjectOfSession(context, session);
  if (!session || !subject) return refuse(context, input, "access token");
  if (returnToUrl !== null && !client.settingsReturnUris.includes(returnToUrl)) {
    await refuse(context, input, "return url");
    return { kind: "return url refused" };
  }
  const { userId, generation, amr } = subject;
  const { uid: sessionUid } = session;
  // Sensitive changes then ask for the second factor.
  const authTime = amr.includes(REMEMBERED_DEVICE) ? null : session.authTime;
  const grant = { userId, generation, clientId, returnToUrl, authTime, sessionUid };
  const t = await createSettingsToken(context, { ...grant, lifeSeconds: SETTINGS_TOKEN_SECONDS });
  const url = new URL("/manage", context.config.issuer);
  url.searchParams.set("t", t);
  return { kind: "opened", url: url.href, expiresInSeconds: SETTINGS_TOKEN_SECONDS };
}

type Refused = Pick<OpenForClient, "clientId" | "address" | "requestId" | "session">;

async function refuse(context: OpenDeps, input: Refused, reason: string): Promise<Opening> {
  const { clientId, address, requestId, session } = input;
  const metadata = { userId: session?.accountId ?? null, clientId, address, requestId, reason };
  await recordEvent(context, { type: "settings.refused", outcome: "refused", ...metadata });
  return { kind: "refused" };
}

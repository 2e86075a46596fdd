import type { Config } from "#app/config/config.ts";
import type { Provider } from "#app/config/providers.ts";
import { findClient } from "#app/db/repositories/clients.server.ts";
import { isFresh, type ReauthenticationRequired, type SettingsAccess } from "#app/domain/access/access.ts";
import { type AuditDeps, recordEvent } from "#app/domain/audit/record.server.ts";
import type { RequestMetadata } from "#app/ports.ts";
import { type AttemptDeps, generateAttemptSecrets, storeAttempt } from "./attempt.server.ts";
import type { Upstream } from "./upstream.ts";

/** Dependencies of connecting an external account. */
type ConnectDeps = AttemptDeps & AuditDeps & { upstream: Upstream; config: Pick<Config, "issuer"> };

/** Result of `beginConnect`. Only "away" stores an attempt. */
export type ConnectBegun =
  /** `url`: the provider's authorization URL, valid for ten minutes in this browser. */
  | { kind: "away"; url: string }
  | ReauthenticationRequired
  /** The provider is not configured. */
  | { kind: "page_not_found" }
  /** `returnTo` is neither a settings page nor a registered URI, or the browser cookie is missing. */
  | { kind: "bad request" }
  /** The provider is unreachable or not the configured one. */
  | { kind: "provider failed" };

/**
 * Starts connecting an external account to the user in the settings. The attempt is bound to the browser, the user and
 * the page session or token chain; `finishConnect` checks them again.
 * @param returnTo URL of a settings page, or a settings return URI registered for the client that opened the settings;
 * null for /manage
 */
export async function beginConnect(
  context: ConnectDeps,
  access: SettingsAccess,
  metadata: RequestMetadata,
  { provider, returnTo }: { provider: Provider; returnTo: string | null },
): Promise<ConnectBegun> {
  const { upstream, clock, config } = context;
  if (!upstream.providers.includes(provider)) return { kind: "page_not_found" };
  if (!isFresh(access, clock.now())) return { kind: "reauthentication_required" };
  const target = returnTo ?? new URL("/manage", config.issuer).href;
  if (metadata.browser === "" || !(await isReturnAddress(context, access, target))) return { kind: "bad request" };
  const secrets = generateAttemptSecrets(context);
  // The browser may be signed in to another account at the provider.
  const result = await upstream.begin(provider, { ...secrets, requestedPrompt: "choose-account", maxAgeSeconds: null });
  const { userId, generation, holder, clientId } = access;
  if (result.kind === "failed") {
    const { browser: _browser, ...source } = metadata;
    const reason = `${provider}: ${result.reason}`;
    await recordEvent(context, { type: "provider.refused", outcome: "failed", reason, userId, clientId, ...source });
    return { kind: "provider failed" };
  }
  const purpose = { kind: "connect", userId, generation, holder, clientId, returnTo: target } as const;
  await storeAttempt(context, secrets, { provider, browser: metadata.browser, purpose, userId });
  return result;
}

/** Returns true for a settings page or a return URI of the client; prevents open redirects. */
async function isReturnAddress(
  { store, config }: ConnectDeps,
  { clientId }: SettingsAccess,
  target: string,
): Promise<boolean> {
  if (!URL.canParse(target)) return false;
  const { origin, pathname } = new URL(target);
  if (origin === config.issuer) return pathname === "/manage" || pathname.startsWith("/manage/");
  const client = clientId === null ? null : await findClient(store, clientId);
  return client?.settingsReturnUris.includes(target) ?? false;
}

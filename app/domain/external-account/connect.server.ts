import type { Config } from "#app/config/config.ts";
import { findClient } from "#app/db/repositories/clients.server.ts";
import { type AuditDeps, recordEvent } from "#app/domain/audit/record.server.ts";
import { isFresh, type SettingsAccess } from "#app/domain/settings/access.ts";
import type { ReauthenticationRequired } from "#app/domain/settings/change.server.ts";
import type { RequestMetadata } from "#app/ports.ts";
import { type AttemptDeps, drawAttempt, keepAttempt } from "./attempt.server.ts";
import type { Provider } from "./providers.ts";
import type { Upstream } from "./upstream.ts";

/** What leaving for a provider from the settings touches. */
export type ConnectDeps = AttemptDeps & AuditDeps & { upstream: Upstream; config: Pick<Config, "issuer"> };

export type ConnectBegun =
  /** `url`: at the provider; good for ten minutes, in this browser. */
  | { kind: "away"; url: string }
  | ReauthenticationRequired
  /** The provider is not configured. */
  | { kind: "page_not_found" }
  /** The address to return to is none of ours and not registered, or the call came without the browser cookie. */
  | { kind: "bad request" }
  /** The provider cannot be reached, or is not the configured one. */
  | { kind: "provider failed" };

/**
 * Begins to connect the account of the person in the settings with one at a provider. The attempt is bound to the browser,
 * the person, and what opened the settings; all of it is checked again when the provider's answer comes.
 * @param returnTo where the person goes on: a page of the settings, or a return address registered for the application
 * that opened them; null for the first page of the settings
 */
export async function beginConnect(
  context: ConnectDeps,
  access: SettingsAccess,
  facts: RequestMetadata,
  { provider, returnTo }: { provider: Provider; returnTo: string | null },
): Promise<ConnectBegun> {
  const { upstream, clock, config } = context;
  if (!upstream.providers.includes(provider)) return { kind: "page_not_found" };
  if (!isFresh(access, clock.now())) return { kind: "reauthentication_required" };
  const target = returnTo ?? new URL("/manage", config.issuer).href;
  if (facts.browser === "" || !(await isReturnAddress(context, access, target))) return { kind: "bad request" };
  const secrets = drawAttempt(context);
  // The account that the browser is signed in with there may not be the one that is meant.
  const begun = await upstream.begin(provider, { ...secrets, asks: "choose-account", maxAgeSeconds: null });
  const { userId, generation, holder, clientId } = access;
  if (begun.kind === "failed") {
    const { browser: _browser, ...where } = facts;
    const reason = `${provider}: ${begun.reason}`;
    await recordEvent(context, { type: "provider.refused", outcome: "failed", reason, userId, clientId, ...where });
    return { kind: "provider failed" };
  }
  const purpose = { kind: "connect", userId, generation, holder, clientId, returnTo: target } as const;
  await keepAttempt(context, secrets, { provider, browser: facts.browser, purpose, userId });
  return begun;
}

/** Never anywhere else: the address is opened with words of ours on it. */
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

import type { Config } from "#app/config/config.ts";
import { listClients } from "#app/db/repositories/clients.server.ts";
import type { Client } from "#app/db/schema.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { createSettingsToken, SETTINGS_LINK_SECONDS } from "#app/domain/access/token.server.ts";
import { type AuditDeps, recordEvent } from "#app/domain/audit/record.server.ts";
import { DomainError } from "#app/domain/base/errors.ts";
import { printable } from "#app/domain/base/printable.ts";
import { FACTOR_RESET_MINUTES, type FactorResetLink, issueFactorReset } from "#app/domain/factor-reset/link.server.ts";
import { storeDirectHelp } from "#app/domain/help-kind/one-kind.server.ts";
import {
  issueResetLink,
  type LinkDeps,
  type LinkOptions,
  RESET_LINK_MINUTES,
  type ResetLink,
} from "#app/domain/password-reset/link.server.ts";
import type { Random } from "#app/ports.ts";
import { getUserByName } from "./get.server.ts";

/**
 * Issues a link with which an administrator lets a user choose a password. Invalidates an older link. Counts as help
 * for a new password, and is not refused after help for a new device: the administrator has a shell. `options`: as of
 * `issueResetLink`. Throws DomainError "user not found", "user is blocked".
 */
export async function createPasswordLink(
  context: AuditDeps & LinkDeps,
  username: string,
  options: Pick<LinkOptions, "minutes" | "opensSettings"> = {},
): Promise<ResetLink> {
  const user = await getUserByName(context.store, username);
  if (user.status !== "active") throw new DomainError("user is blocked", { detail: user.username });
  return context.store.tx(async (tx) => {
    const deps = { ...context, store: tx };
    await storeDirectHelp(deps, user, {
      kind: "new-password",
      by: null,
      minutes: options.minutes ?? RESET_LINK_MINUTES,
    });
    const link = await issueResetLink(deps, user, options);
    const fields = { userId: user.id, reason: "cli" };
    await recordEvent(deps, { type: "password-reset.requested", outcome: "ok", ...fields });
    return link;
  });
}

/**
 * Issues a link with which an administrator lets a user remove all second factors, without delay. Invalidates an older
 * link, also a delayed one. Counts as help for a new device, as `createPasswordLink`. Throws DomainError "user not
 * found", "user is blocked".
 */
export async function createFactorResetLink(context: AuditDeps & LinkDeps, username: string): Promise<FactorResetLink> {
  const user = await getUserByName(context.store, username);
  if (user.status !== "active") throw new DomainError("user is blocked", { detail: user.username });
  return context.store.tx(async (tx) => {
    const deps = { ...context, store: tx };
    await storeDirectHelp(deps, user, { kind: "new-device", by: null, minutes: FACTOR_RESET_MINUTES });
    const link = await issueFactorReset(deps, user, null);
    const fields = { userId: user.id, reason: "cli" };
    await recordEvent(deps, { type: "factor-reset.requested", outcome: "ok", ...fields });
    return link;
  });
}

/** Dependencies of `createSettingsLink`. */
type SettingsLinkDeps = AuditDeps & { random: Random; config: Pick<Config, "issuer"> };

/**
 * Issues a single-use link, valid for 15 minutes, with which an administrator lets a user open the settings. It is no
 * proof of identity: sensitive changes still require the password. `returnTo` must exactly match a settings return URI
 * of a client, or be null. Throws DomainError "user not found", "user is blocked", "return url is unknown".
 */
export async function createSettingsLink(
  context: SettingsLinkDeps,
  username: string,
  { returnTo }: { returnTo: string | null },
): Promise<{ url: string; expiresAt: Date }> {
  const user = await getUserByName(context.store, username);
  if (user.status !== "active") throw new DomainError("user is blocked", { detail: user.username });
  const client = returnTo === null ? null : await getClientOf(context.store, returnTo);
  const { id: userId, generation } = user;
  const clientId = client?.id ?? null;
  const grant = { userId, generation, clientId, returnToUrl: returnTo, authTime: null, sessionUid: null };
  const url = new URL("/manage", context.config.issuer);
  await context.store.tx(async (store) => {
    const deps = { ...context, store };
    url.searchParams.set("t", await createSettingsToken(deps, { ...grant, lifeSeconds: SETTINGS_LINK_SECONDS }));
    await recordEvent(deps, { type: "settings.link-made", outcome: "ok", userId, clientId, reason: "cli" });
  });
  return { url: url.href, expiresAt: new Date(context.clock.now().getTime() + SETTINGS_LINK_SECONDS * 1000) };
}

async function getClientOf(store: Store, returnTo: string): Promise<Client> {
  const clients = await listClients(store);
  const client = clients.find(
    (candidate) => candidate.mayOpenSettings && candidate.settingsReturnUris.includes(returnTo),
  );
  if (!client) throw new DomainError("return url is unknown", { detail: printable(returnTo) });
  return client;
}

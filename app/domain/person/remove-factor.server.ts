import { PROVIDER_NAMES, type Provider } from "#app/config/providers.ts";
import { findExternalAccountsOfUser, removeExternalAccount } from "#app/db/repositories/external-accounts.server.ts";
import { removeOneTimeTokensOfUser } from "#app/db/repositories/one-time-tokens.server.ts";
import { removeTotpCredential } from "#app/db/repositories/totp-credentials.server.ts";
import { invalidateSessions } from "#app/db/repositories/users.server.ts";
import { listWebauthnCredentials, removeWebauthnCredential } from "#app/db/repositories/webauthn-credentials.server.ts";
import type { User } from "#app/db/schema.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { removeDependents } from "#app/domain/account/own-factor.server.ts";
import { recordEvent } from "#app/domain/audit/record.server.ts";
import { DomainError } from "#app/domain/base/errors.ts";
import type { Upstream } from "#app/domain/external-account/upstream.ts";
import { type Factors, findFactors, hasFactor } from "#app/domain/factor/factors.server.ts";
import { findOtherKindEnd, storeDirectHelp } from "#app/domain/help-kind/one-kind.server.ts";
import { notifyUser } from "#app/domain/mail/notify.server.ts";
import { LINK_KINDS, PENDING_KINDS } from "#app/domain/secret/token-kinds.ts";
import { endSessions } from "#app/domain/session/end-access.server.ts";
import { changePerson, type PersonChange, type PersonDeps, type PersonRef } from "./change.server.ts";

/** A sign-in method that an administrator can remove. `id`: of a security key or passkey. */
export type RemovableMethod = { kind: "totp" } | { kind: "key"; id: string } | { kind: "provider"; provider: Provider };

type RemovalDeps = PersonDeps & { upstream: Pick<Upstream, "providers"> };

/**
 * Removes a second factor, or a connected account, of the person. Ends all sessions, tokens and links, because an
 * intruder may have added what is removed, and notifies the person by mail. With the last factor, the recovery codes are
 * removed, too; it counts as help for a new device, and is refused with "other help" within 24 hours of help for a new
 * password. Refuses also "totp not found", "security key not found", "account not connected", and "last sign-in method"
 * for the only account of a person without a password.
 */
export async function removeMethod(
  context: RemovalDeps,
  ref: PersonRef,
  method: RemovableMethod,
): Promise<PersonChange> {
  return changePerson(context, ref, { permission: "edit people" }, async (deps, { user }) => {
    const { store, clock } = deps;
    const removal = await findFactorRemoval(deps, user, method);
    if (removal.refusedUntil !== null) throw new DomainError("other help", { detail: user.username });
    if (removal.isLastFactor) await storeDirectHelp(deps, user, { kind: "new-device", by: ref.administrator.userId });
    // Before the user's row: a password reset locks its link first and the user second.
    await removeOneTimeTokensOfUser(store, user.id, [...LINK_KINDS, ...PENDING_KINDS]);
    await invalidateSessions(store, user.id, clock.now());
    const name = await nameOf(store, user.id, method);
    await removeFrom(deps, user, method);
    await endSessions(deps, user.id);
    await recordEvent(deps, { ...eventOf(name), outcome: "ok", userId: user.id, username: user.username });
    await notifyUser(deps, user.id, { template: mailOf(name) });
  });
}

/**
 * `isLastFactor`: no second step, or no factor at all, remains without the method. `refusedUntil`: time until which the
 * last factor cannot be removed, because the person got help for a new password; null if the method can be removed.
 */
type FactorRemoval = { isLastFactor: boolean; refusedUntil: Date | null };

/** Returns what the removal of a method means for help. Call it under the lock of the roles for a change. */
export async function findFactorRemoval(
  { store, clock }: Pick<RemovalDeps, "store" | "clock">,
  user: User,
  method: RemovableMethod,
): Promise<FactorRemoval> {
  const before = await findFactors(store, user.id);
  const after = await withoutMethod(store, user.id, { factors: before, method });
  const isLastFactor = after !== null && !hasFactor(after) && (hasFactor(before) || after.passkeys === 0);
  if (!isLastFactor) return { isLastFactor, refusedUntil: null };
  return { isLastFactor, refusedUntil: await findOtherKindEnd(store, user, { kind: "new-device", now: clock.now() }) };
}

/** Returns the factors without the method; null if it is not one of them. */
async function withoutMethod(
  store: Store,
  userId: string,
  { factors, method }: { factors: Factors; method: RemovableMethod },
): Promise<Factors | null> {
  if (method.kind === "provider") return null;
  if (method.kind === "totp") return factors.totp ? { ...factors, totp: false } : null;
  const key = (await listWebauthnCredentials(store, userId)).find(({ id }) => id === method.id);
  if (!key) return null;
  return key.isPasskey
    ? { ...factors, passkeys: factors.passkeys - 1 }
    : { ...factors, securityKeys: factors.securityKeys - 1 };
}

async function removeFrom({ store, upstream }: RemovalDeps, user: User, method: RemovableMethod): Promise<void> {
  switch (method.kind) {
    case "totp":
      if (!(await removeTotpCredential(store, user.id))) throw new DomainError("totp not found");
      return removeDependents(store, user.id);
    case "key":
      if (!(await removeWebauthnCredential(store, { userId: user.id, id: method.id }))) {
        throw new DomainError("security key not found");
      }
      return removeDependents(store, user.id);
    case "provider":
      if (!(await removeExternalAccount(store, user.id, method.provider))) {
        throw new DomainError("account not connected");
      }
      if (user.passwordHash === null && !(await hasUsableAccount(store, upstream, user.id))) {
        throw new DomainError("last sign-in method");
      }
  }
}

async function hasUsableAccount(store: Store, { providers }: RemovalDeps["upstream"], userId: string) {
  const accounts = await findExternalAccountsOfUser(store, userId);
  return accounts.some(({ provider }) => providers.includes(provider));
}

/** A removed method, as events and mails name it. */
type RemovedName = { factor: "totp" | "security key" | "passkey" } | { provider: Provider };

/** A passkey has a name of its own, like in the person's settings. Call it before the removal. */
async function nameOf(store: Store, userId: string, method: RemovableMethod): Promise<RemovedName> {
  if (method.kind === "provider") return { provider: method.provider };
  if (method.kind === "totp") return { factor: "totp" };
  const key = (await listWebauthnCredentials(store, userId)).find(({ id }) => id === method.id);
  return { factor: key?.isPasskey ? "passkey" : "security key" };
}

function eventOf(removed: RemovedName) {
  if ("provider" in removed) return { type: "provider.disconnected", reason: removed.provider } as const;
  return { type: "factor.removed", reason: removed.factor } as const;
}

function mailOf(removed: RemovedName) {
  if ("provider" in removed) {
    return { name: "provider-disconnected", provider: PROVIDER_NAMES[removed.provider] } as const;
  }
  return { name: "factor-removed", factor: removed.factor } as const;
}

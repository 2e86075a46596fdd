import type { Config } from "#app/config/config.ts";
import {
  findWebauthnCredential,
  listWebauthnCredentials,
  removeWebauthnCredential,
  renameWebauthnCredential,
} from "#app/db/repositories/webauthn-credentials.server.ts";
import type { Store } from "#app/db/store.server.ts";
import type { Done, NotAllowed, SettingsAccess, Unauthorized } from "#app/domain/access/access.ts";
import { findSettingsUser } from "#app/domain/access/grant.server.ts";
import { type ChangeDeps, changeAccount } from "#app/domain/account/change-account.server.ts";
import { removeDependents } from "#app/domain/account/own-factor.server.ts";
import type { RequestMetadata } from "#app/ports.ts";
import { authenticatorName } from "./authenticator-names.ts";
import type { KeyKind } from "./registration.server.ts";
import { findRelyingParty, userHandleOf } from "./relying-party.server.ts";

/** A security key in the settings, or a passkey. `flagged`: the key may have been copied. */
export type OwnKey = {
  id: string;
  name: string;
  addedAt: Date;
  lastUsedAt: Date | null;
  flagged: boolean;
  /** Null for a security key. */
  passkey: OwnPasskey | null;
};

/** `provider`: name of the program or device that keeps the passkey; null if unknown. `isSynced`: on several devices. */
export type OwnPasskey = { provider: string | null; isSynced: boolean };

/** Lists the user's security keys and passkeys, oldest first. */
export async function listOwnKeys(
  { store }: { store: Store },
  { userId }: Pick<SettingsAccess, "userId">,
): Promise<OwnKey[]> {
  const keys = await listWebauthnCredentials(store, userId);
  return keys.map(({ id, name, createdAt, lastUsedAt, flaggedAt, ...credential }) => {
    const { isPasskey, aaguid, backupEligible: isSynced } = credential;
    const passkey = isPasskey ? { provider: authenticatorName(aaguid), isSynced } : null;
    return { id, name, addedAt: createdAt, lastUsedAt, flagged: flaggedAt !== null, passkey };
  });
}

/**
 * The credentials that a password manager should keep for a user, for the signals of WebAuthn Level 3 §5.1.10. `userId`
 * is the user handle, `removedId` the id of a credential that was just removed or null; all in base64url.
 */
export type AcceptedKeys = { rpId: string; userId: string; acceptedIds: string[]; removedId: string | null };

/**
 * Returns the credentials of the user at this host; null if the issuer's host is an IP address.
 * @param removedId as in the page's URL, which any page can set: ignored if the credential still exists, of any user
 */
export async function findAcceptedKeys(
  { store, config }: { store: Store; config: Pick<Config, "issuer"> },
  { userId }: Pick<SettingsAccess, "userId">,
  removedId: string | null,
): Promise<AcceptedKeys | null> {
  const relyingParty = findRelyingParty(config.issuer);
  if (!relyingParty) return null;
  const keys = await listWebauthnCredentials(store, userId);
  const isRemoved =
    removedId !== null && CREDENTIAL_ID.test(removedId) && !(await findWebauthnCredential(store, removedId));
  return {
    rpId: relyingParty.id,
    userId: userHandleOf(userId).toString("base64url"),
    acceptedIds: keys.filter(({ rpId }) => rpId === relyingParty.id).map(({ id }) => id),
    removedId: isRemoved ? removedId : null,
  };
}

/** A credential id: at most 1,023 bytes (WebAuthn Level 3 §7.1), in base64url. */
const CREDENTIAL_ID = /^[\w-]{1,1364}$/;

/** The user has no security key with this id. */
type KeyNotFound = { kind: "security key not found" };

/** The security key, or the passkey, was changed. */
type KeyDone = Done & { isPasskey: boolean };

/** Renames a security key or a passkey. `name` has 1 to 64 characters. */
export async function renameOwnKey(
  { store }: { store: Store },
  access: SettingsAccess,
  { id, name }: { id: string; name: string },
): Promise<KeyDone | Unauthorized | KeyNotFound> {
  const user = await findSettingsUser(store, access);
  if (!user) return { kind: "unauthorized" };
  const isPasskey = (await findKind(store, { id, userId: user.id })) === "passkey";
  const renamed = await renameWebauthnCredential(store, { id, userId: user.id, name });
  return renamed ? { kind: "done", isPasskey } : { kind: "security key not found" };
}

/** Removes a security key or a passkey. With the last factor, the recovery codes are removed too. */
export async function removeOwnKey(
  context: ChangeDeps,
  access: SettingsAccess,
  { id, ...metadata }: RequestMetadata & { id: string },
): Promise<KeyDone | NotAllowed | KeyNotFound> {
  const { userId } = access;
  const kind = await findKind(context.store, { id, userId });
  const outcome = await changeAccount<KeyNotFound>(context, access, metadata, {
    apply: async (tx) => {
      if (!(await removeWebauthnCredential(tx, { id, userId }))) return { kind: "security key not found" };
      await removeDependents(tx, userId);
      return { kind: "done" };
    },
    template: { name: "factor-removed", factor: kind },
    event: "factor.removed",
    reason: kind,
    others: "end",
  });
  return outcome.kind === "done" ? { ...outcome, isPasskey: kind === "passkey" } : outcome;
}

/** Returns the kind of a credential, which never changes; "security key" for an unknown one. */
async function findKind(store: Store, { id, userId }: { id: string; userId: string }): Promise<KeyKind> {
  const key = await findWebauthnCredential(store, id);
  return key?.userId === userId && key.isPasskey ? "passkey" : "security key";
}

import { PROVIDER_NAMES } from "#app/config/providers.ts";
import { addExternalAccount } from "#app/db/repositories/external-accounts.server.ts";
import { findUser } from "#app/db/repositories/users.server.ts";
import { newId } from "#app/domain/base/new-id.server.ts";
import { notifyUser } from "#app/domain/mail/notify.server.ts";
import type { MailDeps } from "#app/domain/mail/queue.server.ts";
import type { Random } from "#app/ports.ts";
import type { ExternalIdentity } from "./identity.ts";

/** `from`: the request, for the notification mail. */
type NewLink = {
  identity: ExternalIdentity;
  userId: string;
  from: { address: string; userAgent: string };
};

/**
 * Connects an external identity to a user and notifies the user by mail. Returns false, without a change, if the user
 * already has an account at this provider or the identity is connected to another account of the user's group.
 */
export async function linkIdentity(
  context: MailDeps & { random: Random },
  { identity, userId, from }: NewLink,
): Promise<boolean> {
  const { store, clock, random } = context;
  const user = await findUser(store, userId);
  if (!user) return false;
  const { provider, issuer, subject, name } = identity;
  const linkedAt = clock.now();
  const account = {
    id: newId(random),
    userId,
    provider,
    issuer,
    subject,
    groupKey: user.groupId ?? "",
    name,
    linkedAt,
  };
  if (!(await addExternalAccount(store, account))) return false;
  const template = { name: "provider-connected", provider: PROVIDER_NAMES[provider], account: name ?? "" } as const;
  await notifyUser(context, userId, { template, from });
  return true;
}

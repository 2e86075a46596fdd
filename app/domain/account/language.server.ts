import { storeLocale } from "#app/db/repositories/users.server.ts";
import type { Store } from "#app/db/store.server.ts";
import type { Done, SettingsAccess, Unauthorized } from "#app/domain/access/access.ts";
import type { Clock } from "#app/ports.ts";

/** Stores the language of the user's mails. Needs no recent proof of identity: it protects nothing. */
export async function chooseLanguage(
  { store, clock }: { store: Store; clock: Clock },
  { userId, generation }: Pick<SettingsAccess, "userId" | "generation">,
  locale: string,
): Promise<Done | Unauthorized> {
  const isStored = await storeLocale(store, { userId, generation }, { locale, now: clock.now() });
  return { kind: isStored ? "done" : "unauthorized" };
}

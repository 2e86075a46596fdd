import { SEALED_COLUMNS, type SealedRow } from "#app/db/repositories/sealed-columns.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { hasCode } from "#app/domain/base/errors.ts";
import { type Secrets, sealedBy } from "#app/domain/secret/secrets.server.ts";
import type { Unreadable } from "./reencrypt.server.ts";

const PAGE_SIZE = 100;

/** Decrypts every sealed secret, and lists the rows that no key of SECRET_KEYS decrypts. Returns no plaintext. */
export async function findUnreadable(context: {
  store: Store;
  secrets: Pick<Secrets, "open">;
}): Promise<{ rows: number; unreadable: Unreadable[] }> {
  const { store, secrets } = context;
  const unreadable: Unreadable[] = [];
  let rows = 0;
  for (const [name, place] of Object.entries(SEALED_COLUMNS)) {
    let page: SealedRow[] = [];
    do {
      page = await place.list(store, { after: page.at(-1)?.key ?? "", limit: PAGE_SIZE });
      rows += page.length;
      for (const { key, sealed } of page) {
        const opens = await secrets.open(place.purpose, sealed).then(
          () => true,
          (error: unknown) => {
            if (hasCode(error, "wrong secret key")) return false;
            throw error;
          },
        );
        if (!opens) unreadable.push({ place: name, key, fingerprint: sealedBy(sealed) });
      }
    } while (page.length === PAGE_SIZE);
  }
  return { rows, unreadable };
}

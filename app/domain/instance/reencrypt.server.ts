import { getInstance, setKeyFingerprint } from "#app/db/repositories/instance.server.ts";
import {
  type Resealed,
  SEALED_COLUMNS,
  type SealedColumn,
  type SealedRow,
} from "#app/db/repositories/sealed-columns.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { type AuditDeps, recordEvent } from "#app/domain/audit/record.server.ts";
import { hasCode } from "#app/domain/base/errors.ts";
import { type Secrets, sealedBy } from "#app/domain/secret/secrets.server.ts";

const PAGE_SIZE = 50;

/** A row that no key of SECRET_KEYS decrypts: table, primary key, and fingerprint of the secret key that sealed it. */
export type Unreadable = { place: string; key: string; fingerprint: string };

/**
 * Result of `reencryptSecrets`. `current` rows were already sealed with the newest key. `finished` is false if the work
 * was stopped or a row is unreadable; the older keys are then still needed.
 */
export type Reencryption = { reencrypted: number; current: number; unreadable: Unreadable[]; finished: boolean };

/** `onProgress` receives the number of finished rows; `isStopped` is called before each page. */
type ReencryptionOptions = { onProgress?: (done: number) => void; isStopped?: () => boolean };

/** Counts the sealed rows. */
export async function countSealedRows({ store }: { store: Store }): Promise<number> {
  const counts = await Promise.all(Object.values(SEALED_COLUMNS).map((place) => place.count(store)));
  return counts.reduce((sum, count) => sum + count, 0);
}

/**
 * Re-encrypts every sealed secret with the newest of SECRET_KEYS, in small transactions, so that a server with the same
 * keys can run meanwhile. Can be stopped and resumed. Finally stores the newest key's fingerprint.
 */
export async function reencryptSecrets(
  context: AuditDeps & { secrets: Secrets },
  options: ReencryptionOptions = {},
): Promise<Reencryption> {
  const result: Reencryption = { reencrypted: 0, current: 0, unreadable: [], finished: false };
  for (const [name, place] of Object.entries(SEALED_COLUMNS)) {
    if (!(await reencryptColumn(context, { name, place, result, options }))) return result;
  }
  if (result.unreadable.length > 0) return result;
  await finish(context, result.reencrypted);
  return { ...result, finished: true };
}

type Work = { name: string; place: SealedColumn; result: Reencryption; options: ReencryptionOptions };

/** Returns false if stopped. */
async function reencryptColumn(
  { store, secrets }: { store: Store; secrets: Secrets },
  { name, place, result, options }: Work,
): Promise<boolean> {
  let after = "";
  let page: SealedRow[];
  do {
    if (options.isStopped?.()) return false;
    page = await place.list(store, { after, limit: PAGE_SIZE });
    const older = page.filter(({ sealed }) => sealedBy(sealed) !== secrets.fingerprint);
    const opened = await Promise.all(older.map((row) => reseal(secrets, place, row)));
    const resealed = opened.flatMap((one) => one ?? []);
    result.unreadable.push(
      ...older
        .filter((_, index) => opened[index] === null)
        .map(({ key, sealed }) => ({ place: name, key, fingerprint: sealedBy(sealed) })),
    );
    await store.tx(async (tx) => {
      // Skips a row that the server changed meanwhile: it is sealed with the newest key.
      for (const one of resealed) await place.replace(tx, one);
    });
    result.reencrypted += resealed.length;
    result.current += page.length - older.length;
    after = page.at(-1)?.key ?? after;
    options.onProgress?.(result.reencrypted + result.current + result.unreadable.length);
  } while (page.length === PAGE_SIZE);
  return true;
}

/** Returns null if no key decrypts the row. */
async function reseal(
  secrets: Secrets,
  { purpose }: SealedColumn,
  { key, sealed }: SealedRow,
): Promise<Resealed | null> {
  try {
    const plaintext = await secrets.open(purpose, sealed);
    return { key, expected: sealed, sealed: await secrets.seal(purpose, plaintext) };
  } catch (error) {
    if (hasCode(error, "wrong secret key")) return null;
    throw error;
  }
}

async function finish(context: AuditDeps & { secrets: Secrets }, reencrypted: number): Promise<void> {
  const { store, secrets } = context;
  const { keyFingerprint } = await getInstance(store);
  if (reencrypted === 0 && keyFingerprint === secrets.fingerprint) return;
  await store.tx(async (tx) => {
    await setKeyFingerprint(tx, secrets.fingerprint);
    const reason = `${keyFingerprint} -> ${secrets.fingerprint}`;
    await recordEvent({ ...context, store: tx }, { type: "secrets.reencrypted", outcome: "ok", reason });
  });
}

import { z } from "zod";
import {
  consumeOneTimeToken,
  findOneTimeToken,
  issueOneTimeToken,
} from "#app/db/repositories/one-time-tokens.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { hashToken } from "#app/domain/secret/token-hash.server.ts";
import { MINUTE_SECONDS } from "#app/durations.ts";
import type { Clock, Random } from "#app/ports.ts";

/** Lifetime of a file between its check and the import. */
const CHECKED_FILE_SECONDS = 60 * MINUTE_SECONDS;

const schema = z.object({ name: z.string(), text: z.string() });

/** A file that an administrator has uploaded; `text` contains no passwords. */
export type CheckedFile = z.infer<typeof schema>;

/** The administrator who uploaded a file, and the browser. No other user can see or import it. */
export type FileOwner = { userId: string; generation: number; browser: string };

/** Keeps a file for its owner, in place of an earlier one, and returns its single-use token. */
export async function keepCheckedFile(
  { store, clock, random }: { store: Store; clock: Clock; random: Random },
  { userId, generation, browser }: FileOwner,
  file: CheckedFile,
): Promise<string> {
  const token = random.token();
  const createdAt = clock.now();
  await issueOneTimeToken(store, {
    ...{ kind: "people-import", slot: userId, userId, generation },
    ...{ tokenHash: hashToken(token), browserHash: hashToken(browser), payload: file, createdAt },
    expiresAt: new Date(createdAt.getTime() + CHECKED_FILE_SECONDS * 1000),
  });
  return token;
}

/** Returns the file of this token; null if it is of another owner, imported, replaced or expired. */
export async function findCheckedFile(
  { store, clock }: { store: Store; clock: Clock },
  owner: FileOwner,
  token: string,
): Promise<CheckedFile | null> {
  const row = await findOneTimeToken(store, {
    ...{ kind: "people-import", tokenHash: hashToken(token), now: clock.now() },
  });
  const isOwn =
    row?.userId === owner.userId && row.generation === owner.generation && row.browserHash === hashToken(owner.browser);
  return isOwn ? (schema.safeParse(row.payload).data ?? null) : null;
}

/** Consumes the token of a file that `findCheckedFile` returned. Of concurrent calls one returns true. */
export async function consumeCheckedFile(
  { store, clock }: { store: Store; clock: Clock },
  token: string,
): Promise<boolean> {
  const presented = { tokenHash: hashToken(token), now: clock.now() };
  return (await consumeOneTimeToken(store, { kind: "people-import", ...presented })) !== null;
}

import { listHelpLinks } from "#app/db/repositories/help-links.server.ts";
import { findUserByLoginName } from "#app/db/repositories/users.server.ts";
import { rollback } from "#app/db/transaction.server.ts";
import { type AuditDeps, recordEvent } from "#app/domain/audit/record.server.ts";
import { hashToken } from "#app/domain/secret/token-hash.server.ts";
import { countTogether, createLimiter } from "#app/domain/throttle/limiter.server.ts";
import { createNetworkLimit } from "#app/domain/throttle/network-limit.server.ts";
import { hashTypedName, parseLoginName } from "#app/domain/username/typed-name.server.ts";
import { DAY_SECONDS, MINUTE_SECONDS } from "#app/durations.ts";
import type { SignInMetadata } from "#app/ports.ts";
import { bearerOf, checkWords, findUsableHelp, type HelpDeps, isOpen } from "./help.server.ts";
import { foldWords } from "./words.server.ts";

/** Limits on typed words, right ones included. Keep in step with docs/security.md. */
export const WORDS_LIMITS = {
  /** Per user name or e-mail address as typed. */
  name: { name: "help/name", points: 10, windowSeconds: 15 * MINUTE_SECONDS },
  nameDay: { name: "help/name-day", points: 50, windowSeconds: DAY_SECONDS },
  /** Per client address or IPv6 /64; 4 times as many per /56, 16 times per /48. */
  address: { name: "help/address", points: 50, windowSeconds: 15 * MINUTE_SECONDS },
} as const;

const perName = createLimiter(WORDS_LIMITS.name);
const perNameDay = createLimiter(WORDS_LIMITS.nameDay);
const countsOfAddress = createNetworkLimit(WORDS_LIMITS.address);

/** `username` (or e-mail address) and `words` as typed. */
type WordsInput = { username: string; words: string } & Pick<SignInMetadata, "address" | "userAgent" | "requestId">;

/** Result of `redeemWords`. `bearer`: lets this browser use the help (`findHelpOfBearer`). */
type WordsOutcome =
  | { kind: "accepted"; bearer: string }
  | { kind: "refused" }
  | { kind: "throttled"; retryAfterSeconds: number };

/** In place of the help of a user who has none: its words are compared in the same way, and match nothing. */
const NO_HELP = { id: "none", wordsHash: hashToken("none") };

/**
 * Checks the words of a person's help. Consumes nothing. An unknown user, a user without open help and wrong words are
 * indistinguishable: each takes the same statements and one comparison. Each attempt is counted before it is checked.
 */
export async function redeemWords(context: AuditDeps & HelpDeps, input: WordsInput): Promise<WordsOutcome> {
  const { secrets, clock } = context;
  return context.store.tx<WordsOutcome>(async (store) => {
    const deps = { ...context, store };
    const key = hashTypedName(secrets, input.username);
    const counts = [{ limiter: perNameDay, key }, { limiter: perName, key }, ...countsOfAddress(input.address)];
    const retryAfterSeconds = await countTogether(deps, counts);
    if (retryAfterSeconds > 0) return rollback({ kind: "throttled", retryAfterSeconds });
    const user = await findUserByLoginName(store, parseLoginName(input.username));
    const links = await listHelpLinks(store, user?.id ?? NO_HELP.id);
    const link = user && links.find((candidate) => isOpen(candidate, user, clock.now()));
    const isRight = checkWords(secrets, link ?? NO_HELP, foldWords(input.words));
    const help = isRight && link ? await findUsableHelp(deps, link.id) : null;
    if (help) return { kind: "accepted", bearer: bearerOf(deps, help) };
    const { address, userAgent, requestId } = input;
    const name = user ? { userId: user.id, username: user.username } : { nameHash: key };
    const refused = { type: "help.refused", outcome: "refused", reason: "words" } as const;
    await recordEvent(deps, { ...refused, ...name, address, userAgent, requestId });
    return { kind: "refused" };
  });
}

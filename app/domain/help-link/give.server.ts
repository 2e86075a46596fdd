import { addHelpLink, listHelpLinks } from "#app/db/repositories/help-links.server.ts";
import { findUser } from "#app/db/repositories/users.server.ts";
import type { HelpKind, User } from "#app/db/schema.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { rollback } from "#app/db/transaction.server.ts";
import type { Administrator } from "#app/domain/administration/administrator.ts";
import { requirePerson } from "#app/domain/administration/person.server.ts";
import { type AuditDeps, recordEvent } from "#app/domain/audit/record.server.ts";
import { newId } from "#app/domain/base/new-id.server.ts";
import { findFactors, hasFactor } from "#app/domain/factor/factors.server.ts";
import { findOtherKindEnd, withdrawOpenHelp } from "#app/domain/help-kind/one-kind.server.ts";
import { type MailDeps, queueMail } from "#app/domain/mail/queue.server.ts";
import { hashToken } from "#app/domain/secret/token-hash.server.ts";
import { HOUR_MS } from "#app/durations.ts";
import type { SignInMetadata } from "#app/ports.ts";
import { hashWords, isOpen } from "./help.server.ts";
import { foldWords, makeWords } from "./words.server.ts";

/** Lifetimes that can be chosen, in hours. Keep in step with docs/security.md. */
export const HELP_HOURS = [1, 8, 24] as const;

/** Dependencies of giving help; the store names the administrator. */
export type GiveDeps = AuditDeps & MailDeps;

/**
 * Reason why a person cannot be helped. `other kind`: the person got help of the other kind, until then. `no password`,
 * `no factor`: there is nothing that a new device needs. `no code`: the person has security keys only, which the page
 * for a new password does not ask for.
 */
export type HelpRefusal =
  | { kind: "blocked" }
  | { kind: "other kind"; until: Date }
  | { kind: "no password" }
  | { kind: "no factor" }
  | { kind: "no code" };

/** Returns why the person cannot get help of this kind now; null if the person can. */
export async function findHelpRefusal(
  store: Store,
  user: User,
  { kind, now }: { kind: HelpKind; now: Date },
): Promise<HelpRefusal | null> {
  if (user.status !== "active") return { kind: "blocked" };
  const until = await findOtherKindEnd(store, user, { kind, now });
  if (until !== null) return { kind: "other kind", until };
  const factors = await findFactors(store, user.id);
  if (kind === "new-device") {
    if (user.passwordHash === null) return { kind: "no password" };
    // A lost passkey signs in, and may be the only way through a second step that is required.
    return hasFactor(factors) || factors.passkeys > 0 ? null : { kind: "no factor" };
  }
  const hasCode = factors.totp || factors.recoveryCodesLeft > 0;
  return hasFactor(factors) && !hasCode ? { kind: "no code" } : null;
}

/** `language`: that of the giver's page, in which the words are read aloud. */
export type GiveInput = {
  personId: string;
  kind: HelpKind;
  hours: (typeof HELP_HOURS)[number];
  language: string;
} & Pick<SignInMetadata, "address" | "userAgent" | "requestId">;

/** Help to show once; never log it. `isNotified`: a mail to the person was queued. */
export type GivenHelp = { words: string[]; url: string; expiresAt: Date; user: User; isNotified: boolean };

/** Result of `giveHelp`; the first two as of `requirePerson`. */
export type GiveOutcome =
  | { kind: "not found" }
  | { kind: "not allowed" }
  | { kind: "refused"; refusal: HelpRefusal }
  | { kind: "given"; help: GivenHelp };

/**
 * Gives help: six words and a link, of which either can be used once, and only for the one kind of change. Withdraws
 * open help of the same person, so that one is open at a time. Notifies the person by mail. Of simultaneous calls for a
 * person, the second one finds the help of the first.
 */
export async function giveHelp(
  context: GiveDeps,
  administrator: Administrator,
  input: GiveInput,
): Promise<GiveOutcome> {
  return context.store.tx<GiveOutcome>(async (store) => {
    const person = await requirePerson(store, administrator, input.personId);
    if (person.kind !== "found") return rollback(person);
    const now = context.clock.now();
    const refusal = await findHelpRefusal(store, person.user, { kind: input.kind, now });
    if (refusal) return rollback({ kind: "refused", refusal });
    const giver = await findUser(store, administrator.userId);
    if (!giver) return rollback({ kind: "not found" });
    return { kind: "given", help: await issue({ ...context, store }, { user: person.user, giver, now }, input) };
  });
}

async function issue(
  context: GiveDeps,
  { user, giver, now }: { user: User; giver: User; now: Date },
  { kind, hours, language, address, userAgent, requestId }: GiveInput,
): Promise<GivenHelp> {
  const { store, random, secrets, config } = context;
  const metadata = { userId: user.id, username: user.username, address, userAgent, requestId };
  await withdrawOpenHelp({ ...context, metadata: { address, userAgent, requestId } }, user);
  const id = newId(random);
  const words = makeWords(random, language);
  const token = random.token();
  const expiresAt = new Date(now.getTime() + hours * HOUR_MS);
  await addHelpLink(store, {
    id,
    userId: user.id,
    kind,
    generation: user.generation,
    tokenHash: hashToken(token),
    wordsHash: hashWords(secrets, id, foldWords(words.join(" "))),
    createdById: giver.id,
    createdAt: now,
    expiresAt,
  });
  const template = { name: "help-given", kind, by: giver.displayName, until: expiresAt } as const;
  await queueMail(context, { to: user, template });
  await recordEvent(context, { type: "help.given", outcome: "ok", reason: `${kind}, ${hours} h`, ...metadata });
  const url = new URL("/help", config.issuer);
  url.searchParams.set("help_token", token);
  return { words, url: url.href, expiresAt, user, isNotified: user.email !== null };
}

/** Open help of a person, for the person's page. `by`: display name of the giver. */
export type OpenHelp = { kind: HelpKind; by: string | null; createdAt: Date; expiresAt: Date };

/** Returns the open help of a person; null if none is open. The words and the link cannot be shown again. */
export async function findOpenHelp(store: Store, userId: string, now: Date): Promise<OpenHelp | null> {
  const user = await findUser(store, userId);
  const links = user ? await listHelpLinks(store, userId) : [];
  const link = user && links.find((candidate) => isOpen(candidate, user, now));
  if (!link) return null;
  const giver = link.createdById === null ? null : await findUser(store, link.createdById);
  const { kind, createdAt, expiresAt } = link;
  return { kind, by: giver?.displayName ?? null, createdAt, expiresAt };
}

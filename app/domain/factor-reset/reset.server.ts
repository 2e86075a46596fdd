import type { Config } from "#app/config/config.ts";
import { removeFactors } from "#app/db/repositories/factors.server.ts";
import { removeKnownBrowsers } from "#app/db/repositories/known-browsers.server.ts";
import { consumeOneTimeToken, removeOneTimeTokensOfUser } from "#app/db/repositories/one-time-tokens.server.ts";
import { incrementGeneration } from "#app/db/repositories/user-generation.server.ts";
import type { User } from "#app/db/schema.server.ts";
import { type AuditDeps, recordEvent } from "#app/domain/audit/record.server.ts";
import { type MailDeps, queueMail } from "#app/domain/mail/queue.server.ts";
import { LINK_KINDS, PENDING_KINDS } from "#app/domain/secret/token-kinds.ts";
import { endSessions } from "#app/domain/session/end-access.server.ts";
import { isSecondFactorRequired } from "#app/domain/sign-in-policy/sign-in-policy.server.ts";
import type { SignInMetadata } from "#app/ports.ts";
import { type FactorReset, findFactorReset } from "./link.server.ts";

/** Dependencies of `removeAllFactors`. */
export type FactorRemovalDeps = AuditDeps & MailDeps & { config: Pick<Config, "mfaPolicy"> };

/** Dependencies of a reset. */
type ResetDeps = FactorRemovalDeps;

/** Token of the link, and metadata of the request. */
type ResetInput = { resetToken: string } & Pick<SignInMetadata, "address" | "userAgent" | "requestId">;

/** `needsSetUp`: the next sign-in requires a second factor, so that the user must set up a new one. */
type ResetOutcome = { kind: "done"; needsSetUp: boolean } | { kind: "too-early" } | { kind: "error-token" };

/**
 * Consumes the link and removes all second factors, sessions, tokens and known browsers of its user, who is notified by
 * mail. Keeps the password and does not sign in. Of several simultaneous calls one succeeds.
 */
export async function resetFactors(context: ResetDeps, input: ResetInput): Promise<ResetOutcome> {
  const found = await findFactorReset(context, input.resetToken);
  if (found.kind !== "found") return found;
  return context.store.tx(async (tx) => remove({ ...context, store: tx }, found.reset, input));
}

async function remove(
  context: ResetDeps,
  { user, tokenHash }: FactorReset,
  metadata: ResetInput,
): Promise<ResetOutcome> {
  const { store, clock } = context;
  const presented = { kind: "mfa-reset", tokenHash, now: clock.now() } as const;
  if (!(await consumeOneTimeToken(store, presented))) return { kind: "error-token" };
  if (!(await removeAllFactors(context, user, metadata))) return { kind: "error-token" };
  return { kind: "done", needsSetUp: await isSecondFactorRequired(context, user) };
}

/**
 * Removes all second factors, sessions, tokens and known browsers of a user, who is notified by mail, in the transaction
 * of the store. Keeps the password. Returns false if the user was changed or blocked meanwhile: then roll back.
 */
export async function removeAllFactors(
  context: FactorRemovalDeps,
  user: User,
  { address, userAgent, requestId }: Pick<SignInMetadata, "address" | "userAgent" | "requestId">,
): Promise<boolean> {
  const { store, clock } = context;
  // Before the user's row: a password reset locks its link first and the user second; another order could deadlock.
  await removeOneTimeTokensOfUser(store, user.id, LINK_KINDS);
  // Fails if the user was changed or blocked after the link was checked.
  const generation = { expected: user.generation, now: clock.now() };
  if ((await incrementGeneration(store, user.id, generation)) === null) return false;
  await removeFactors(store, user.id);
  await removeOneTimeTokensOfUser(store, user.id, PENDING_KINDS);
  await removeKnownBrowsers(store, user.id);
  await endSessions(context, user.id);
  await queueMail(context, { to: user, template: { name: "mfa-reset-done" }, from: { address, userAgent } });
  const metadata = { userId: user.id, address, userAgent, requestId };
  await recordEvent(context, { type: "factor-reset.done", outcome: "ok", ...metadata });
  return true;
}

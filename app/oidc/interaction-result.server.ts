import type { InteractionResults } from "oidc-provider";
import { replaceInteraction } from "#app/db/repositories/interactions.server.ts";
import { findRecord, insertRecordOnce } from "#app/db/repositories/oidc-records.server.ts";
import { storeFirstLocale } from "#app/db/repositories/users.server.ts";
import type { JsonObject } from "#app/db/schema.server.ts";
import type { Subject } from "#app/domain/engine-session/subject.server.ts";
import { hashToken } from "#app/domain/secret/token-hash.server.ts";
import { type ChallengeDeps, findInteraction, hintedUserIdOf, type OpenInteraction } from "./challenges.server.ts";
import { OFFER_PROMPT } from "./interaction-policy.server.ts";
import { sealChallenge } from "./seal.server.ts";
import type { EngineSession } from "./session.server.ts";

/** `browser`: browser cookie of the request; its hash is stored with the result. */
export type ResultDeps = ChallengeDeps & { browser: string };

/** `language`: resolves to the language of the page. */
type LoginDeps = ResultDeps & { language(): Promise<string> };

/** Input of `acceptLogin`. `session`: the current session of this browser, if any. */
type AcceptedLogin = {
  interaction: OpenInteraction;
  subject: Subject;
  session: EngineSession | null;
  /** Time of the last proof of identity, in seconds since 1970; null if unknown, undefined for now. */
  authTime?: number | null;
  /** Start of the session in seconds since 1970, if a second factor continues an existing one; else null. */
  signedInAt?: number | null;
  /** uid of that existing session: the result counts only while it lives and in its browser. */
  sessionUid?: string | null;
};

/**
 * Completes the sign-in of an open interaction. Only the sign-in policy creates a `Subject`. A session of another user
 * in this browser is destroyed, because oidc-provider would show its own page for it. A user without a language gets
 * that of the page.
 * @returns URL to redirect to: oidc-provider's resume URL, or the page for an interaction that already has another
 *   result
 */
export async function acceptLogin(
  context: LoginDeps,
  { interaction, subject, session, authTime, signedInAt = null, sessionUid = null }: AcceptedLogin,
): Promise<string> {
  if (!isHintedUser(interaction, subject)) return (await storeResult(context, interaction, OTHER_USER)).location;
  const { userId: accountId, generation, amr, acr } = subject;
  const now = Math.floor(context.clock.now().getTime() / 1000);
  const login = { accountId, generation, amr, acr, ...timesOf({ now, authTime, signedInAt }) };
  // Set even if null, because it replaces the one of an earlier result.
  const result = { login, select_account: {}, sessionUid };
  // The result contains the account, so it must not depend on the session in which the request began. `guardResume`
  // checks the session that it continues.
  const completed = withoutConsentOfOthers(interaction, accountId);
  const { isStored, location } = await storeResult(context, completed, result, { keepsSession: false });
  if (isStored && session?.accountId && session.accountId !== accountId) {
    const provider = await context.oidc.provider();
    await (await provider.Session.findByUid(session.uid))?.destroy();
  }
  if (isStored && subject.locale === null) {
    await storeFirstLocale(context.store, accountId, { locale: await context.language(), now: context.clock.now() });
  }
  return location;
}

/**
 * Removes the consent of another user, who allowed the client its access before the sign-in was requested again, e.g.
 * because `max_age` was exceeded on the consent page.
 */
function withoutConsentOfOthers(interaction: OpenInteraction, accountId: string): InteractionToComplete {
  const { session, lastSubmission } = interaction;
  if (!lastSubmission || session?.accountId === accountId) return interaction;
  const { consent: _, ...kept } = lastSubmission;
  return { ...interaction, lastSubmission: kept };
}

/** Without `ts` the session gets no auth_time (`applySignInTimes`). */
function timesOf(times: { now: number; authTime: number | null | undefined; signedInAt: number | null }) {
  const { now, authTime = now, signedInAt } = times;
  return { ...(authTime === null ? {} : { ts: authTime }), signedInAt: signedInAt ?? now };
}

/** Accepts the account of the live session ("You are logged in as", Proceed). Returns a URL like acceptLogin. */
export async function acceptAccount(context: ResultDeps, interaction: OpenInteraction): Promise<string> {
  // The sign-in policy has checked the current session, which may differ from the one in which the prompt was opened.
  return (await storeResult(context, interaction, { select_account: {} }, { keepsSession: false })).location;
}

/** Makes oidc-provider evaluate a request again after a session was started. Returns a URL like acceptLogin. */
export async function continueRequest(context: ResultDeps, interaction: OpenInteraction): Promise<string> {
  // Without `lastSubmission`, oidc-provider evaluates the request as if it had just arrived.
  const { uid, returnTo, unstored } = interaction;
  return (await storeResult(context, { uid, returnTo, unstored }, {}, { keepsSession: false })).location;
}

/**
 * Continues after the notice of a mailed password reset, or once the user may use the client. Earlier results are kept
 * while the session is the same, so that prompt=login is not repeated. Returns a URL like acceptLogin.
 */
export async function continueAfterNotice(
  context: ResultDeps,
  interaction: OpenInteraction,
  session: EngineSession | null,
): Promise<string> {
  if (session && interaction.session?.uid === session.uid) {
    return (await storeResult(context, interaction, {})).location;
  }
  return continueRequest(context, interaction);
}

/**
 * Continues after the offer of a passkey, which is not shown again for this request. Returns a URL like acceptLogin.
 * @param subject the user after a passkey was set up: the sign-in of this request continues with it; null if none was
 */
export async function continueAfterOffer(
  context: ResultDeps,
  interaction: OpenInteraction,
  { session, subject }: { session: EngineSession | null; subject: Subject | null },
): Promise<string> {
  if (!session || interaction.session?.uid !== session.uid) return continueRequest(context, interaction);
  const { login } = interaction.lastSubmission ?? {};
  const isSame = subject !== null && login?.accountId === subject.userId;
  const { generation, amr, acr } = subject ?? {};
  const changed = isSame ? { login: { ...login, generation, amr, acr } } : {};
  return (await storeResult(context, interaction, { [OFFER_PROMPT]: {}, ...changed })).location;
}

/** Rejects an open interaction: the client gets an error response (RFC 6749 §4.1.2.1). Returns a URL like acceptLogin. */
export async function rejectRequest(
  context: ResultDeps,
  interaction: OpenInteraction,
  error: OAuthError,
): Promise<string> {
  return (await storeResult(context, interaction, error)).location;
}

const OTHER_USER = { error: "login_required", error_description: "another user signed in than requested" };

/** Returns false if the (already verified) id_token_hint names another user (OpenID Connect Core 1.0 §3.1.2.1). */
function isHintedUser(interaction: OpenInteraction, subject: Subject): boolean {
  const hinted = hintedUserIdOf(interaction);
  return hinted === null || hinted === subject.userId;
}

type OAuthError = { error: string; error_description: string };

/** Stores an interaction of a user who was authenticated, unless it is stored: the second step refers to its uid. */
export async function storeInteraction({ store }: ResultDeps, { unstored }: OpenInteraction): Promise<void> {
  if (unstored) await insertRecordOnce(store, unstored);
}

/**
 * Stores an interaction for a later request that refers to its uid alone, unless it is stored. The user is not
 * authenticated yet.
 * @throws a 429 Response if the client's address has stored too many requests
 */
export async function storeForLaterRequest(
  context: ResultDeps & { requireStorable(): Promise<void> },
  interaction: OpenInteraction,
): Promise<void> {
  if (interaction.unstored) await context.requireStorable();
  await storeInteraction(context, interaction);
}

/** `location`: URL to redirect to. `isStored`: false if another result was stored first. */
type StoredResult = { isStored: boolean; location: string };

/** The properties of an interaction that a result is stored with. */
type InteractionToComplete = Pick<OpenInteraction, "uid" | "returnTo" | "lastSubmission" | "unstored">;

/**
 * Stores the result of an interaction, merged with earlier results of the request. A single conditional statement: of
 * several concurrent results, one is stored. An equal result gets the same redirect; a different one leads to the page
 * for completed requests (docs/decisions/025-one-response-per-request.md).
 */
export async function storeResult(
  context: ResultDeps,
  { uid, returnTo, lastSubmission, unstored }: InteractionToComplete,
  newResult: InteractionResults,
  { keepsSession = true }: { keepsSession?: boolean } = {},
): Promise<StoredResult> {
  const isError = newResult.error !== undefined;
  const browserHash = hashToken(context.browser);
  const result: InteractionResults = { ...(isError ? {} : lastSubmission), ...newResult, browserHash };
  const addResult = ({ session, ...others }: JsonObject) => ({
    ...others,
    ...(keepsSession ? { session } : {}),
    result,
  });
  const isStored =
    (await insertWithResult(context, unstored, addResult)) || (await addResultToStored(context, uid, addResult));
  if (isStored) return { isStored, location: returnTo };
  const { interaction: completed } = await findInteraction(context, { uid, sealedInteraction: null });
  const isEqual = completed?.result !== undefined && isSame(completed.result, result);
  return { isStored, location: isEqual ? returnTo : completedPage(context, uid) };
}

type AddResult = (payload: JsonObject) => JsonObject;

/** Inserts the first record of an interaction, with its result. Returns false if it has expired or is stored. */
async function insertWithResult(
  { store, clock }: ResultDeps,
  unstored: OpenInteraction["unstored"],
  addResult: AddResult,
): Promise<boolean> {
  if (!unstored || unstored.expiresAt <= clock.now()) return false;
  const record = { ...unstored, payload: addResult(unstored.payload) };
  return insertRecordOnce(store, record);
}

/** Adds the result to the record of an interaction. Returns false if it has one, has expired or is not stored. */
async function addResultToStored({ store, clock }: ResultDeps, uid: string, addResult: AddResult): Promise<boolean> {
  const readPayload = (await findRecord(store, "Interaction", uid))?.payload;
  if (!readPayload || readPayload.result !== undefined) return false;
  const replacement = { readPayload, payload: addResult(readPayload), now: clock.now() };
  return replaceInteraction(store, uid, replacement);
}

/** Returns true if two results of one browser agree in error, account, consent and account selection. */
function isSame(one: InteractionResults, other: InteractionResults): boolean {
  const meaning = ({ error, login, consent, select_account }: InteractionResults) =>
    JSON.stringify([error ?? null, login?.accountId ?? null, consent !== undefined, select_account !== undefined]);
  return one.browserHash === other.browserHash && meaning(one) === meaning(other);
}

/** Returns the URL of the page for completed requests, with a challenge sealed to this browser. */
function completedPage({ secrets, browser }: ResultDeps, uid: string): string {
  const login_challenge = sealChallenge(secrets, { kind: "login", uid, browser });
  return `/login?${new URLSearchParams({ login_challenge })}`;
}

import { decodeJwt } from "jose";
import type { Interaction, InteractionResults } from "oidc-provider";
import { replaceInteraction } from "#app/db/repositories/interactions.server.ts";
import { findRecord } from "#app/db/repositories/oidc-records.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { DomainError } from "#app/domain/errors.ts";
import { hashToken } from "#app/domain/secret/token-hash.server.ts";
import type { Subject } from "#app/domain/sign-in/subject.server.ts";
import { type ChallengeDeps, findInteraction } from "./challenges.server.ts";
import { sealChallenge } from "./seal.server.ts";
import type { EngineSession } from "./session.server.ts";

/** `browser`: the browser cookie of the request that answers; its hash is stored with the answer. */
export type AnswerDeps = ChallengeDeps & { browser: string };

/** What else is written in the transaction that stores an answer, and only when the answer is stored. */
type Alongside = (tx: Store) => Promise<void>;

export type AcceptedLogin = {
  uid: string;
  subject: Subject;
  session: EngineSession | null;
  /** When the user last proved who they are, in seconds since 1970: null for an unknown time, left out for now. */
  authTime?: number | null;
  /** Of a session that goes on after its second step alone: when it began, in seconds since 1970; else it begins now. */
  signedInAt?: number | null;
};

/**
 * Finishes the sign-in of an open request. Only the gate's `Subject` gets here.
 * A session of another person in this browser ends: the engine would otherwise ask on a page of its own.
 * @returns where the browser goes on: the engine's address, or the page that says that the request was answered
 *   differently before
 */
export async function acceptLogin(
  context: AnswerDeps,
  { uid, subject, session, authTime, signedInAt = null }: AcceptedLogin,
): Promise<string> {
  const interaction = await findInteraction(context, uid);
  if (!interaction) return answeredPage(context, uid);
  if (!isHintedPerson(interaction, subject)) return (await answer(context, interaction, OTHER_PERSON)).location;
  const { userId: accountId, generation, amr, acr } = subject;
  const now = Math.floor(context.clock.now().getTime() / 1000);
  const login = { accountId, generation, amr, acr, ...timesOf({ now, authTime, signedInAt }) };
  const result = { login, select_account: {} };
  // The result names the person itself, so it must not depend on the session the request began with.
  const { isStored, location } = await answer(context, interaction, result, { keepsSession: false });
  if (isStored && session?.accountId && session.accountId !== accountId) {
    const provider = await context.oidc.provider();
    await (await provider.Session.findByUid(session.uid))?.destroy();
  }
  return location;
}

/** Without `ts` the session has no time of a proof (`takeTimesOfSignIn`). */
function timesOf(times: { now: number; authTime: number | null | undefined; signedInAt: number | null }) {
  const { now, authTime = now, signedInAt } = times;
  return { ...(authTime === null ? {} : { ts: authTime }), signedInAt: signedInAt ?? now };
}

/** Answers "You are logged in as" with Proceed: the live session goes on. Returns like acceptLogin. */
export async function acceptAccount(context: AnswerDeps, uid: string): Promise<string> {
  const interaction = await findInteraction(context, uid);
  if (!interaction) return answeredPage(context, uid);
  // The gate has looked at the session of now; it need not be the one the question was opened with.
  return (await answer(context, interaction, { select_account: {} }, { keepsSession: false })).location;
}

/** Lets the engine look at an open request again, because this browser has a session now. Returns like acceptLogin. */
export async function continueRequest(context: AnswerDeps, uid: string): Promise<string> {
  const interaction = await findInteraction(context, uid);
  if (!interaction) return answeredPage(context, uid);
  // Without the earlier answers: the engine looks at the request as if it had just arrived.
  const { returnTo } = interaction;
  return (await answer(context, { uid, returnTo }, {}, { keepsSession: false })).location;
}

/**
 * Goes on after the notice of a mailed password reset: with what was answered before, while the session is the same, so
 * that prompt=login is not asked again. Returns like acceptLogin.
 */
export async function continueAfterNotice(
  context: AnswerDeps,
  uid: string,
  session: EngineSession | null,
): Promise<string> {
  const interaction = await findInteraction(context, uid);
  if (!interaction) return answeredPage(context, uid);
  if (session && interaction.session?.uid === session.uid) return (await answer(context, interaction, {})).location;
  return continueRequest(context, uid);
}

/**
 * Sends the application an error for an open request. RFC 6749 section 4.1.2.1.
 * @param alongside runs in the transaction that stores the error, and not at all when another answer was first
 * @returns like acceptLogin
 */
export async function rejectRequest(
  context: AnswerDeps,
  uid: string,
  error: OAuthError,
  alongside?: Alongside,
): Promise<string> {
  const interaction = await findInteraction(context, uid);
  if (!interaction) return answeredPage(context, uid);
  return (await answer(context, interaction, error, { alongside })).location;
}

const OTHER_PERSON = { error: "login_required", error_description: "another person signed in than was asked for" };

/** An id_token_hint, which was verified when the request came, names who must sign in (OpenID Connect Core 1.0 3.1.2.1). */
function isHintedPerson({ params }: Interaction, subject: Subject): boolean {
  return typeof params.id_token_hint !== "string" || decodeJwt(params.id_token_hint).sub === subject.userId;
}

type OAuthError = { error: string; error_description: string };

/** The open interaction. @throws DomainError "challenge" */
export async function getInteraction(context: ChallengeDeps, uid: string): Promise<Interaction> {
  const interaction = await findInteraction(context, uid);
  if (!interaction) throw new DomainError("challenge", { detail: "the interaction was answered or ran out" });
  return interaction;
}

/** `location`: where the browser goes on. `isStored`: false when another answer was stored first. */
type Answered = { isStored: boolean; location: string };

/**
 * Stores the answer to an interaction, beside the earlier ones of the same request. One conditional statement: of several
 * simultaneous answers one is stored. The same answer again leads to the same place, a different one to the page that
 * says that the request was answered (docs/decisions/025-one-answer-per-request.md).
 */
export async function answer(
  context: AnswerDeps,
  { uid, returnTo, lastSubmission }: Pick<Interaction, "uid" | "returnTo" | "lastSubmission">,
  given: InteractionResults,
  { keepsSession = true, alongside }: { keepsSession?: boolean; alongside?: Alongside | undefined } = {},
): Promise<Answered> {
  const isError = given.error !== undefined;
  const browserHash = hashToken(context.browser);
  const result: InteractionResults = { ...(isError ? {} : lastSubmission), ...given, browserHash };
  const isStored = await storeAnswer(context, uid, { result, keepsSession, alongside });
  if (isStored) return { isStored, location: returnTo };
  const earlier = (await findInteraction(context, uid))?.result;
  return { isStored, location: earlier && isSame(earlier, result) ? returnTo : answeredPage(context, uid) };
}

type Given = { result: InteractionResults; keepsSession: boolean; alongside: Alongside | undefined };

async function storeAnswer(
  { store, clock }: AnswerDeps,
  uid: string,
  { result, keepsSession, alongside }: Given,
): Promise<boolean> {
  const readPayload = (await findRecord(store, "Interaction", uid))?.payload;
  if (!readPayload || readPayload.result !== undefined) return false;
  const { session, ...others } = readPayload;
  const payload = { ...others, ...(keepsSession ? { session } : {}), result };
  const replacement = { readPayload, payload, now: clock.now() };
  if (!alongside) return replaceInteraction(store, uid, replacement);
  return store.tx(async (tx) => {
    if (!(await replaceInteraction(tx, uid, replacement))) return false;
    await alongside(tx);
    return true;
  });
}

/** Whether two answers of one browser mean the same: the same person, the same permission, the same refusal. */
function isSame(one: InteractionResults, other: InteractionResults): boolean {
  const meaning = ({ error, login, consent, select_account }: InteractionResults) =>
    JSON.stringify([error ?? null, login?.accountId ?? null, consent !== undefined, select_account !== undefined]);
  return one.browserHash === other.browserHash && meaning(one) === meaning(other);
}

/** The page that says that a request was answered. Its challenge is sealed to the browser that answers now. */
function answeredPage({ secrets, browser }: AnswerDeps, uid: string): string {
  const login_challenge = sealChallenge(secrets, { kind: "login", uid, browser });
  return `/login?${new URLSearchParams({ login_challenge })}`;
}

import { decodeJwt } from "jose";
import type { Interaction, InteractionResults } from "oidc-provider";
import { DomainError } from "#app/domain/errors.ts";
import type { Subject } from "#app/domain/sign-in/subject.server.ts";
import { type ChallengeContext, findInteraction } from "./challenges.server.ts";
import type { EngineSession } from "./session.server.ts";

export type AcceptedLogin = {
  uid: string;
  subject: Subject;
  session: EngineSession | null;
  authTime?: number | null;
};

/**
 * Finishes the sign-in of an open request. Only the gate's `Subject` gets here.
 * A session of another person in this browser ends: the engine would otherwise ask on a page of its own.
 * `authTime`, in seconds, where a session goes on after its second step alone; else it is now.
 * @returns the engine's address that goes on
 * @throws DomainError "challenge" when the request was answered or ran out meanwhile
 */
export async function acceptLogin(
  context: ChallengeContext,
  { uid, subject, session, authTime = null }: AcceptedLogin,
): Promise<string> {
  const interaction = await getInteraction(context, uid);
  if (!isHintedPerson(interaction, subject)) return reject(interaction, OTHER_PERSON);
  if (session?.accountId && session.accountId !== subject.userId) {
    const provider = await context.oidc.provider();
    await (await provider.Session.findByUid(session.uid))?.destroy();
  }
  // The result names the person itself, so it must not depend on the session the request began with.
  delete interaction.session;
  const { userId: accountId, generation, amr, acr } = subject;
  const ts = authTime ?? Math.floor(context.clock.now().getTime() / 1000);
  return answer(interaction, { login: { accountId, generation, amr, acr, ts }, select_account: {} });
}

/** Answers "You are logged in as" with Proceed: the live session goes on. Returns and throws like acceptLogin. */
export async function acceptAccount(context: ChallengeContext, uid: string): Promise<string> {
  const interaction = await getInteraction(context, uid);
  // The gate has looked at the session of now; it need not be the one the question was opened with.
  delete interaction.session;
  return answer(interaction, { select_account: {} });
}

/** Lets the engine look at an open request again, because this browser has a session now. Returns like acceptLogin. */
export async function continueRequest(context: ChallengeContext, uid: string): Promise<string> {
  const interaction = await getInteraction(context, uid);
  delete interaction.session;
  await interaction.persist();
  return interaction.returnTo;
}

/**
 * Sends the application an error for an open request. RFC 6749 section 4.1.2.1.
 * @returns the engine's address that goes on
 */
export async function rejectRequest(context: ChallengeContext, uid: string, error: OAuthError): Promise<string> {
  return reject(await getInteraction(context, uid), error);
}

const OTHER_PERSON = { error: "login_required", error_description: "another person signed in than was asked for" };

/** An id_token_hint, which was verified when the request came, names who must sign in (OpenID Connect Core 1.0 3.1.2.1). */
function isHintedPerson({ params }: Interaction, subject: Subject): boolean {
  return typeof params.id_token_hint !== "string" || decodeJwt(params.id_token_hint).sub === subject.userId;
}

type OAuthError = { error: string; error_description: string };

async function reject(interaction: Interaction, error: OAuthError): Promise<string> {
  interaction.result = error;
  await interaction.persist();
  return interaction.returnTo;
}

/** The open interaction. @throws DomainError "challenge" */
export async function getInteraction(context: ChallengeContext, uid: string): Promise<Interaction> {
  const interaction = await findInteraction(context, uid);
  if (!interaction) throw new DomainError("challenge", { detail: "the interaction was answered or ran out" });
  return interaction;
}

/** Writes an answer beside the earlier ones of the same request. */
export async function answer(interaction: Interaction, result: InteractionResults): Promise<string> {
  interaction.result = { ...interaction.lastSubmission, ...result };
  await interaction.persist();
  return interaction.returnTo;
}

import type { Provider } from "#app/config/providers.ts";
import { findExternalAccountsOfUser } from "#app/db/repositories/external-accounts.server.ts";
import { findManageChain } from "#app/db/repositories/manage-chains.server.ts";
import { findManageSession } from "#app/db/repositories/manage-sessions.server.ts";
import { lockGeneration } from "#app/db/repositories/user-generation.server.ts";
import { renewPageSession } from "#app/domain/access/page-session.server.ts";
import { isChainAlive } from "#app/domain/access/token-chain.server.ts";
import { type AuditDeps, recordEvent } from "#app/domain/audit/record.server.ts";
import type { MailDeps } from "#app/domain/mail/queue.server.ts";
import { hashToken } from "#app/domain/secret/token-hash.server.ts";
import type { RequestMetadata } from "#app/ports.ts";
import type { AttemptPurpose } from "./attempt.server.ts";
import type { ExternalIdentity } from "./identity.ts";
import { linkIdentity } from "./link.server.ts";
import type { UpstreamResult } from "./upstream.ts";

/** Purpose of an attempt that connects an account in the settings. */
type ConnectAttempt = Extract<AttemptPurpose, { kind: "connect" }>;

/** `error`: the value of `oauth-error` in the return URL. */
export type Connection =
  | { kind: "connected" }
  | { kind: "refused"; error: "access_denied" | "provider failed" | "account in use" | "unauthorized" };

type Input = { provider: Provider; attempt: ConnectAttempt; upstreamResult: UpstreamResult; metadata: RequestMetadata };

/**
 * Connects the identity from a provider to the user who started in the settings. Refuses if the page session or token
 * chain has ended, the user's generation or the browser changed, the identity is connected to another account of the
 * same group, or the user has another account at this provider.
 */
export async function finishConnect(context: AuditDeps & MailDeps, input: Input): Promise<Connection> {
  const { provider, attempt, upstreamResult, metadata } = input;
  const connection = await connect(context, input);
  if (connection.kind === "connected") return connection;
  const reason = `${provider}: ${upstreamResult.kind === "failed" ? upstreamResult.reason : connection.error}`;
  const refused = { type: "provider.refused", outcome: "refused", reason } as const;
  await recordEvent(context, { ...refused, ...eventFields(attempt, metadata) });
  return connection;
}

/** Connects the identity, in one transaction with its event and the mail to the user. */
async function connect(
  context: AuditDeps & MailDeps,
  { provider, attempt, upstreamResult, metadata }: Input,
): Promise<Connection> {
  if (!(await isStillOpen(context, attempt, metadata))) return { kind: "refused", error: "unauthorized" };
  if (upstreamResult.kind === "cancelled") return { kind: "refused", error: "access_denied" };
  if (upstreamResult.kind === "failed") return { kind: "refused", error: "provider failed" };
  const { identity } = upstreamResult;
  return context.store.tx(async (store): Promise<Connection> => {
    const deps = { ...context, store };
    const error = await linkOrFindError(deps, { identity, attempt, metadata });
    if (error !== null) return { kind: "refused", error };
    const connected = { type: "provider.connected", outcome: "ok", reason: provider } as const;
    await recordEvent(deps, { ...connected, ...eventFields(attempt, metadata) });
    return { kind: "connected" };
  });
}

/** Links the identity to the user. Returns null if it is linked now, or was before. */
async function linkOrFindError(
  deps: AuditDeps & MailDeps,
  { identity, attempt, metadata }: { identity: ExternalIdentity } & Pick<Input, "attempt" | "metadata">,
): Promise<"unauthorized" | "account in use" | "provider failed" | null> {
  const { store } = deps;
  const { userId, generation } = attempt;
  if (!(await lockGeneration(store, userId, generation))) return "unauthorized";
  if (await linkIdentity(deps, { identity, userId, from: metadata })) return null;
  const own = (await findExternalAccountsOfUser(store, userId)).find(({ provider }) => provider === identity.provider);
  if (!own) return "account in use";
  return isSame(own, identity) ? null : "provider failed";
}

function eventFields({ userId, clientId }: ConnectAttempt, { address, userAgent, requestId }: RequestMetadata) {
  return { userId, clientId, address, userAgent, requestId };
}

function isSame(own: { issuer: string; subject: string }, { issuer, subject }: ExternalIdentity): boolean {
  return own.issuer === issuer && own.subject === subject;
}

/** Returns true if the page session or token chain that started the attempt is live and belongs to the user. */
async function isStillOpen(
  context: AuditDeps,
  { holder, userId, generation }: ConnectAttempt,
  { browser }: RequestMetadata,
): Promise<boolean> {
  const belongs = (found: { userId: string; generation: number }) =>
    found.userId === userId && found.generation === generation;
  if (holder.kind === "page") {
    const session = await findManageSession(context.store, holder.pageSessionHash);
    if (!session || !belongs(session) || session.browserHash !== hashToken(browser)) return false;
    return renewPageSession(context, session);
  }
  const chain = await findManageChain(context.store, holder.chainId);
  return chain !== null && belongs(chain) && isChainAlive(context, chain);
}

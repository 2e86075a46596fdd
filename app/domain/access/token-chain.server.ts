import { advanceManageChain, insertManageChain } from "#app/db/repositories/manage-chains.server.ts";
import { findManageSession } from "#app/db/repositories/manage-sessions.server.ts";
import type { ManageChain } from "#app/db/schema.server.ts";
import type { Store } from "#app/db/store.server.ts";
import type { Secrets } from "#app/domain/secret/secrets.server.ts";
import { SECOND_MS } from "#app/durations.ts";
import type { Clock, Random } from "#app/ports.ts";
import type { SettingsAccess } from "./access.ts";
import { isStillGranted, type SettingsDeps, type SettingsGrant } from "./grant.server.ts";
import { renewPageSession, SETTINGS_IDLE_SECONDS, SETTINGS_MAX_SECONDS } from "./page-session.server.ts";
import { consumeSettingsToken } from "./token.server.ts";

/** Dependencies of the token chains. */
type ChainDeps = { store: Store; clock: Clock; random: Random; secrets: Pick<Secrets, "mac" | "checkMac"> };

/** An accepted call: its access, and the token for the next call. */
type AcceptedCall = { access: SettingsAccess; nextToken: string };

/** `<chain id>.<counter>.<HMAC>`. A page's chain id contains the hash of the page session after "~". */
const TOKEN = /^([\w-]{22}(?:~([\w-]{43}))?)\.(0|[1-9]\d{0,8})\.([\w-]{43})$/;

const ID_BYTES = 16;

/**
 * Creates the first token of a page's chain, without storing it: the id contains the page session, and the first call
 * inserts the row. The row is kept until the page session is over, so that no token starts the chain again.
 */
export function beginPageChain(deps: Pick<ChainDeps, "random" | "secrets">, pageSessionHash: string): string {
  return tokenOf(deps, `${newChainId(deps)}~${pageSessionHash}`, 0);
}

/**
 * Consumes the bearer token of a call: `t`, a page's first token, or the latest token of a chain. One conditional
 * statement: of several calls with one token, one succeeds. Returns null if the token is used, forged or expired, or
 * the user may no longer use the settings.
 */
export async function advanceChain(deps: ChainDeps, bearer: string): Promise<AcceptedCall | null> {
  const [, id, pageSessionHash, digits, mac] = TOKEN.exec(bearer) ?? [];
  if (!id || !digits || !mac) return openChain(deps, bearer);
  const counter = Number(digits);
  if (!deps.secrets.checkMac("settings-chain", signedText(id, counter), mac)) return null;
  if (counter === 0) return pageSessionHash ? startPageChain(deps, id, pageSessionHash) : null;
  return continueChain(deps, id, counter);
}

/** Starts a chain with `t` as bearer token. */
async function openChain(deps: ChainDeps, bearer: string): Promise<AcceptedCall | null> {
  const grant = await consumeSettingsToken(deps, bearer);
  if (!grant) return null;
  const expiresAt = new Date(deps.clock.now().getTime() + SETTINGS_MAX_SECONDS * SECOND_MS);
  return begin(deps, { ...grant, id: newChainId(deps), pageSessionHash: null, expiresAt });
}

async function startPageChain(deps: ChainDeps, id: string, pageSessionHash: string): Promise<AcceptedCall | null> {
  const session = await findManageSession(deps.store, pageSessionHash);
  if (!session || !(await renewPageSession(deps, session))) return null;
  const { userId, generation, authTime, sessionUid, clientId, returnToUrl, expiresAt } = session;
  const grant = { userId, generation, authTime, sessionUid, clientId, returnToUrl };
  return begin(deps, { ...grant, id, pageSessionHash, expiresAt });
}

type NewChain = SettingsGrant & Pick<ManageChain, "id" | "pageSessionHash" | "expiresAt">;

async function begin(deps: ChainDeps, chain: NewChain): Promise<AcceptedCall | null> {
  const now = deps.clock.now();
  const row = { ...chain, counter: 1, createdAt: now, lastUsedAt: now };
  return (await insertManageChain(deps.store, row)) ? accepted(deps, row) : null;
}

async function continueChain(deps: ChainDeps, id: string, counter: number): Promise<AcceptedCall | null> {
  const { store, clock } = deps;
  const now = clock.now();
  const usedAfter = new Date(now.getTime() - SETTINGS_IDLE_SECONDS * SECOND_MS);
  const chain = await advanceManageChain(store, { id, counter, now, usedAfter });
  return chain && (await isHolderAlive(deps, chain)) ? accepted(deps, chain) : null;
}

/** Returns true if the chain accepts further calls. Consumes nothing; counts as a use of the page session, if any. */
export async function isChainAlive(deps: SettingsDeps, chain: ManageChain): Promise<boolean> {
  const now = deps.clock.now().getTime();
  const isIdle = now - chain.lastUsedAt.getTime() >= SETTINGS_IDLE_SECONDS * SECOND_MS;
  return !isIdle && chain.expiresAt.getTime() > now && isHolderAlive(deps, chain);
}

/** The chain of a page ends with its page session. */
async function isHolderAlive(deps: SettingsDeps, chain: ManageChain): Promise<boolean> {
  if (chain.pageSessionHash === null) return isStillGranted(deps, chain);
  const session = await findManageSession(deps.store, chain.pageSessionHash);
  return session !== null && session.generation === chain.generation && renewPageSession(deps, session);
}

function accepted(deps: ChainDeps, chain: NewChain & Pick<ManageChain, "counter">): AcceptedCall {
  const { userId, generation, authTime, sessionUid, clientId, returnToUrl, id, pageSessionHash } = chain;
  const holder = { kind: "chain", chainId: id, pageSessionHash } as const;
  const access = { userId, generation, authTime, sessionUid, clientId, returnToUrl, holder };
  return { access, nextToken: tokenOf(deps, id, chain.counter) };
}

function newChainId({ random }: Pick<ChainDeps, "random">): string {
  return Buffer.from(random.bytes(ID_BYTES)).toString("base64url");
}

function tokenOf({ secrets }: Pick<ChainDeps, "secrets">, id: string, counter: number): string {
  return `${id}.${counter}.${secrets.mac("settings-chain", signedText(id, counter))}`;
}

function signedText(id: string, counter: number): string {
  return `${id}.${counter}`;
}

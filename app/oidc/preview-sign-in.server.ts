import type { Client, Provider } from "oidc-provider";
import { getClient } from "#app/domain/client/show.server.ts";
import { getUserByName } from "#app/domain/user/get.server.ts";
import { findAccount } from "./claims.server.ts";
import { issuesRefreshToken } from "./configuration.server.ts";
import { LIFETIMES } from "./lifetimes.server.ts";
import type { Oidc } from "./oidc.ts";
import {
  type CheckDeps,
  type ConsentStep,
  findConsentStep,
  findRefusals,
  findSteps,
  type Refusal,
  type SecondFactor,
  type SignInSteps,
} from "./preview-checks.server.ts";

/** Dependencies of `previewSignIn`. */
export type PreviewDeps = CheckDeps & { oidc: Pick<Oidc, "provider"> };

/** `username` in any spelling; `scopes`: default all that are registered for the client. */
type PreviewInput = { clientId: string; username: string; scopes?: readonly string[] | undefined };

/** Members of a token or response, by name. */
type Members = Record<string, unknown>;

/**
 * The tokens and responses that an application gets. `idToken` and `userinfo` are null without the scope `openid`;
 * `accessToken` is the response of the introspection endpoint.
 */
type Issued = { idToken: Members | null; userinfo: Members | null; accessToken: Members; hasRefreshToken: boolean };

/** Result of `previewSignIn`. `issued` is null if there are refusals. */
export type SignInPreview = {
  clientId: string;
  username: string;
  scopes: string[];
  refusals: Refusal[];
  secondFactor: SecondFactor | null;
  consent: ConsentStep;
  issued: Issued | null;
};

/** Stands for values that do not exist before tokens are issued. */
const PLACEHOLDERS = {
  authTime: "<time of the sign-in>",
  iat: "<time of issue>",
  nonce: "<nonce of the request>",
  sid: "<id of the session>",
} as const;

/**
 * Returns what a user and a client would get from a sign-in now, or why it would be refused. Stores, signs and issues
 * nothing. The claims come from the functions that the endpoints call, with the grant of all requested scopes; values
 * that exist at issuing only are placeholders. The methods of the sign-in, and so `amr` and `acr`, are those of
 * `findSteps`. A request for `offline_access` is assumed to have prompt=consent, without which it is dropped.
 * @throws DomainError "client not found", "user not found"
 */
export async function previewSignIn(context: PreviewDeps, input: PreviewInput): Promise<SignInPreview> {
  const row = await getClient(context.store, input.clientId);
  const user = await getUserByName(context.store, input.username);
  const scopes = [...new Set(input.scopes ?? row.scopes)];
  const checked = { user, client: row, scopes };
  const refusals = await findRefusals(context, checked);
  const steps = await findSteps(context, checked);
  return {
    clientId: row.id,
    username: user.username,
    scopes,
    refusals,
    secondFactor: steps.secondFactor,
    consent: await findConsentStep(context, checked),
    issued: refusals.length > 0 ? null : await previewIssued(context, { ...checked, userId: user.id, steps }),
  };
}

type IssueInput = { userId: string; client: { id: string }; scopes: readonly string[]; steps: SignInSteps };

/** Returns null if client or user was removed or blocked since they were read. */
async function previewIssued(
  context: PreviewDeps,
  { userId, scopes, steps, ...input }: IssueInput,
): Promise<Issued | null> {
  const provider = await context.oidc.provider();
  const client = await provider.Client.find(input.client.id);
  const account = await findAccount(context, { userId, token: undefined, client });
  if (!client || !account) return null;
  const scope = scopes.join(" ");
  const claimsFor = (use: "id_token" | "userinfo") => account.claims(use, scope);
  const isOpenid = scopes.includes("openid");
  return {
    idToken: isOpenid ? await previewIdToken(provider, { client, steps, claims: await claimsFor("id_token") }) : null,
    userinfo: isOpenid
      ? await new provider.Claims(await claimsFor("userinfo"), { client }).scope(scope).result()
      : null,
    accessToken: previewAccessToken(provider, { client, userId, scope }),
    hasRefreshToken: issuesRefreshToken(client, new Set(scopes)),
  };
}

/** Composes the members as oidc-provider's `IdToken`, which filters the claims by the scope `openid`. */
async function previewIdToken(
  provider: Provider,
  { client, steps: { amr, acr }, claims }: { client: Client; steps: SignInSteps; claims: Members },
): Promise<Members> {
  const available = { ...claims, acr, amr, auth_time: PLACEHOLDERS.authTime };
  return {
    ...(await new provider.Claims(available, { client }).scope("openid").result()),
    nonce: PLACEHOLDERS.nonce,
    ...sidOf(client),
    aud: client.clientId,
    exp: expiryAfter(LIFETIMES.idToken),
    iat: PLACEHOLDERS.iat,
    iss: provider.issuer,
  };
}

/** Composes the members as the introspection endpoint; the token is not stored. */
function previewAccessToken(
  provider: Provider,
  { client, userId, scope }: { client: Client; userId: string; scope: string },
): Members {
  const grant = { grantId: "", gty: "authorization_code" };
  const token = new provider.AccessToken({ client, accountId: userId, scope, ...grant });
  return {
    active: true,
    sub: token.accountId,
    client_id: client.clientId,
    exp: expiryAfter(LIFETIMES.accessToken),
    iat: PLACEHOLDERS.iat,
    ...sidOf(client),
    iss: provider.issuer,
    ...(scope === "" ? {} : { scope }),
    token_type: token.tokenType,
  };
}

/** Returns the id of the session, which a client gets that has a back-channel logout URI. */
function sidOf(client: Client): { sid?: string } {
  return client.includeSid() ? { sid: PLACEHOLDERS.sid } : {};
}

function expiryAfter(seconds: number): string {
  return `<iat + ${seconds} s>`;
}

import type { IncomingMessage } from "node:http";
import { interactionPolicy, type KoaContextWithOIDC } from "oidc-provider";
import type { Config } from "#app/config/config.ts";
import { mayUse } from "#app/db/repositories/client-access.server.ts";
import { type SessionVisit, USER_AGENT_LENGTH } from "#app/domain/engine-session/engine-session.server.ts";
import { ACR_MFA } from "#app/domain/engine-session/subject.server.ts";
import { checkSignInPolicy, type SignInPolicyDeps } from "#app/domain/sign-in-policy/sign-in-policy.server.ts";
import { isPasskeyOffered } from "#app/domain/webauthn/passkey-offer.server.ts";
import type { Clock } from "#app/ports.ts";
import { INVALID_SCOPE_PARAM } from "./allowed-scopes.server.ts";
import { exceedsMaxAge } from "./lifetimes.server.ts";
import { NO_ACCESS_DESCRIPTION } from "./no-access.ts";
import { demandsMfa } from "./requested-acr.server.ts";
import { generationOf, setGeneration, setVisit } from "./session-generation.server.ts";
import { SETTINGS_CLIENT_ID } from "./settings-client.server.ts";

const { Check, Prompt, base } = interactionPolicy;

/** Name of the prompt for the notice of a mailed password reset. */
export const NOTICE_PROMPT = "password_notice";

/** Name of the prompt for a user who may not use the client. */
export const NO_ACCESS_PROMPT = "no_access";

/** Name of the prompt for the offer of a passkey. */
export const OFFER_PROMPT = "passkey_offer";

type PolicyDeps = SignInPolicyDeps & {
  clock: Clock;
  config: Pick<Config, "issuer" | "passkeys">;
  addressOf: (request: IncomingMessage) => string;
  hasPasskeyDevice: (request: IncomingMessage) => boolean;
};

/**
 * Creates the interaction policy, in this order: login, select_account, notice of a mailed password reset, access, offer
 * of a passkey, consent. In addition to oidc-provider's checks: a session counts only if the sign-in policy accepts it, the account is
 * confirmed where the client requires it, the user may use the client, and unknown scopes are shown.
 */
export function createPolicy(context: PolicyDeps): interactionPolicy.DefaultPolicy {
  const policy = base();
  const login = policy.get("login");
  const consent = policy.get("consent");
  if (!login || !consent) throw new Error("oidc-provider's policy has no login or no consent prompt");
  login.checks.add(sessionIsCurrent(context), 0);
  login.checks.add(secondFactorIsWanted());
  policy.add(passkeyOffer(context), 1);
  policy.add(noAccess(context), 1);
  policy.add(passwordResetNotice(), 1);
  policy.add(selectAccount(), 1);
  consent.checks.remove("native_client_prompt");
  consent.checks.add(nativeClient());
  consent.checks.add(invalidScope());
  return policy;
}

/** Runs before all other checks: a session counts only if the sign-in policy accepts it now. */
function sessionIsCurrent(context: PolicyDeps) {
  return new Check("session_void", "End-User authentication is required", "login_required", async (ctx) => {
    const { session, account, result, params, prompts } = ctx.oidc;
    if (!session?.accountId) return Check.NO_NEED_TO_PROMPT;
    if (!account || exceedsMaxAge(session, context.clock.now())) return Check.REQUEST_PROMPT;
    // After a sign-in that just finished, the session takes the generation of that sign-in.
    const finished = result?.login?.generation;
    if (typeof finished === "number") setGeneration(session, finished);
    const generation = generationOf(session);
    if (generation === null) return Check.REQUEST_PROMPT;
    const policyResult = await checkSignInPolicy(context, {
      userId: session.accountId,
      amr: session.amr ?? [],
      generation,
      demandsFreshFactor: prompts.has("login") || params?.max_age !== undefined,
    });
    if (policyResult.kind !== "complete") return Check.REQUEST_PROMPT;
    setVisit(session, visitOf(context, ctx.req));
    return Check.NO_NEED_TO_PROMPT;
  });
}

function visitOf({ clock, addressOf }: PolicyDeps, request: IncomingMessage): SessionVisit {
  const userAgent = (request.headers["user-agent"] ?? "").slice(0, USER_AGENT_LENGTH);
  return { at: Math.floor(clock.now().getTime() / 1000), address: addressOf(request), userAgent };
}

/**
 * Prompts for a second factor if the client must have one (`client set --require-mfa`) or requests one. With prompt=none
 * the session's acr is accepted unless the client must have it.
 */
function secondFactorIsWanted() {
  return new Check("mfa_wanted", "a second factor is required", "login_required", ({ oidc }) => {
    const { client, session, result, params, prompts } = oidc;
    if (!session?.accountId || session.acr === ACR_MFA) return Check.NO_NEED_TO_PROMPT;
    if (client?.require_mfa) return Check.REQUEST_PROMPT;
    const isRequested = !result?.login && !prompts.has("none") && demandsMfa(params ?? {});
    return isRequested ? Check.REQUEST_PROMPT : Check.NO_NEED_TO_PROMPT;
  });
}

/** Shows a user who may not use the client whom to ask. With prompt=none the client gets `access_denied`. */
function noAccess({ store }: Pick<PolicyDeps, "store">) {
  return new Prompt(
    { name: NO_ACCESS_PROMPT, requestable: false },
    new Check("no_access", NO_ACCESS_DESCRIPTION, "access_denied", async ({ oidc }) => {
      const { client, session } = oidc;
      // Everyone may use most clients: no statement for them.
      if (!client || client.access === "everyone" || !session?.accountId) return Check.NO_NEED_TO_PROMPT;
      const isAllowed = await mayUse(store, { clientId: client.clientId, userId: session.accountId });
      return isAllowed ? Check.NO_NEED_TO_PROMPT : Check.REQUEST_PROMPT;
    }),
  );
}

/**
 * Shows that a mailed link has set the password to a user who signs in with a provider. Skipped for prompt=none, and
 * for the settings, which show the notice themselves.
 */
function passwordResetNotice() {
  return new Prompt(
    { name: NOTICE_PROMPT, requestable: false },
    new Check("password_reset_unseen", "the password was reset by a mailed link", (ctx) => {
      const { account, client, prompts, session } = ctx.oidc;
      const isShown = session?.amr?.includes("fed") && account?.["passwordResetUnseen"] === true;
      const mayPrompt = !prompts.has("none") && client?.clientId !== SETTINGS_CLIENT_ID;
      return isShown && mayPrompt ? Check.REQUEST_PROMPT : Check.NO_NEED_TO_PROMPT;
    }),
  );
}

/**
 * Offers a passkey once after a sign-in with the password, if the browser reported a device that can keep one. Skipped
 * for prompt=none, and for the settings, where passkeys are set up.
 */
function passkeyOffer(context: PolicyDeps) {
  return new Prompt(
    { name: OFFER_PROMPT, requestable: false },
    new Check("passkey_offered", "a passkey is offered", async (ctx) => {
      const { client, prompts, result, session } = ctx.oidc;
      const mayPrompt = !prompts.has("none") && client?.clientId !== SETTINGS_CLIENT_ID;
      // No statement runs without a sign-in that has just finished.
      if (!result?.login || result[OFFER_PROMPT] || !mayPrompt || !session?.accountId) return Check.NO_NEED_TO_PROMPT;
      if (!context.hasPasskeyDevice(ctx.req)) return Check.NO_NEED_TO_PROMPT;
      const subject = { userId: session.accountId, amr: session.amr ?? [] };
      return (await isPasskeyOffered(context, subject)) ? Check.REQUEST_PROMPT : Check.NO_NEED_TO_PROMPT;
    }),
  );
}

/** Adds "You are logged in as", on prompt=select_account and for clients with `confirm_account`. */
function selectAccount() {
  return new Prompt(
    { name: "select_account", requestable: true },
    new Check("confirm_account", "the account was not confirmed", (ctx) => {
      const { client, prompts, result } = ctx.oidc;
      if (!client?.confirm_account || prompts.has("none")) return Check.NO_NEED_TO_PROMPT;
      return result?.login || result?.select_account ? Check.NO_NEED_TO_PROMPT : Check.REQUEST_PROMPT;
    }),
  );
}

/** Prompts native clients each time, because they cannot be authenticated (RFC 8252 §8.6); not first-party ones. */
function nativeClient() {
  return new Check("native_client", "native clients require End-User interaction", "interaction_required", (ctx) => {
    const { client, result } = ctx.oidc;
    const needsConsent = client?.applicationType === "native" && !client.first_party && !result?.consent;
    return needsConsent ? Check.REQUEST_PROMPT : Check.NO_NEED_TO_PROMPT;
  });
}

/** Shows scopes that are not allowed for the client on the consent page; they are never granted. */
function invalidScope() {
  return new Check("invalid_scope", "requested scope is not allowed", "invalid_scope", (ctx: KoaContextWithOIDC) =>
    ctx.oidc.params?.[INVALID_SCOPE_PARAM] ? Check.REQUEST_PROMPT : Check.NO_NEED_TO_PROMPT,
  );
}

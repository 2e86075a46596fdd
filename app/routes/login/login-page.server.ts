import type { Provider } from "#app/config/providers.ts";
import { assertNever } from "#app/domain/base/assert-never.ts";
import type { ErrorCode } from "#app/domain/base/errors.ts";
import type { Subject } from "#app/domain/engine-session/subject.server.ts";
import type { ExternalOutcome } from "#app/domain/external-account/outcome.server.ts";
import { findHints } from "#app/domain/registration/provider-hints.server.ts";
import { isRegistered } from "#app/domain/registration/return.server.ts";
import { findFirstSetUp, lacksProofForSetUp } from "#app/domain/second-factor/step-up.server.ts";
import { findSubjectOfSession } from "#app/domain/sign-in-policy/live-session.server.ts";
import { issuePasskeyChallenge } from "#app/domain/webauthn/passkey-challenge.server.ts";
import { findRelyingParty } from "#app/domain/webauthn/relying-party.server.ts";
import type { LoadContext } from "#app/http/load-context.server.ts";
import { issueFormToken } from "#app/http/own-form.server.ts";
import { clientLabel, type PageView, textsOf } from "#app/http/page-data.server.ts";
import { findRememberedUsername, type RememberedUsername } from "#app/http/remembered-username.server.ts";
import { htmlStatus, redirect303, respondWith } from "#app/http/reply.server.ts";
import { challengeParameter } from "#app/http/sign-in-request.server.ts";
import { findTypedUsername } from "#app/http/typed-username.server.ts";
import { type Challenge, findChallenge, type OpenRequest } from "#app/oidc/challenges.server.ts";
import { restartRequest } from "#app/oidc/restart.server.ts";
import type { LanguageForm } from "#app/ui/language-link.tsx";
import type { LoginState } from "#app/ui/page-state.ts";
import { RESTART_FORM } from "#app/ui/restart-form.tsx";
import { type ProofNotice, SIGN_IN_FORM } from "./login-form.tsx";
import { type LoginPageProps, loginTitle } from "./login-page.tsx";
import { skipPrompt } from "./skipped-prompt.server.ts";

export type LoginPageData = PageView<LoginState, LoginPageProps> & { languageForm: LanguageForm | null };

/** The errors of a refused form, and the values that were entered. */
type LoginProblem = {
  errors: readonly ErrorCode[];
  username: string;
  waitMinutes?: number | undefined;
  /** With `xsrf`: the provider whose account selection has expired. */
  provider?: Provider;
};

type LoginInput = {
  challenge: string;
  /** The result of `findChallenge`, if the caller has it already. */
  found?: Challenge;
  /** Shows the form even if the user is signed in. */
  otherAccount?: boolean;
  /** The user name that was typed before, on this page or another one of the sign-in. */
  username?: string | null;
  problem?: LoginProblem;
  /** The reason for which the user has to give the password. */
  notice?: ProofNotice;
  /** The result of a sign-in at a provider, on the page that shows it. */
  outcome?: ExternalOutcome | null;
  /** The path that shows the form again in another language. */
  languagePath?: string;
};

/**
 * Loads the page of a sign-in request: the form, "You are logged in as", the result, or the next step.
 * @throws a redirect if the request needs no input of the user
 */
export async function loadLoginPage(context: LoadContext, request: Request, input: LoginInput): Promise<LoginPageData> {
  const { challenge, found = await findChallenge(context, { kind: "login", challenge, browser: context.browser }) } =
    input;
  const subject = await findSubjectOfSession(context, await context.session());
  const remembered = await findRememberedUsername(context, request);
  const content =
    found.kind === "open"
      ? await openContent(context, found.request, { ...input, subject, remembered })
      : await closedContent(context, found, { ...input, subject });
  const { error, login_result } = content.state;
  const state: LoginState = {
    reg_hints: [],
    ...content.state,
    login_challenge: input.challenge,
    xsrf_token: await issueFormToken(context),
  };
  return {
    providers: context.upstream.providers,
    passkey: found.kind === "open" ? startPasskey(context, found.request) : null,
    ...content,
    status: login_result?.status === "failed" ? 400 : htmlStatus(error),
    state,
    title: loginTitle(await textsOf(context, request), state),
    languageForm: languageFormOf(content, input.languagePath ?? "/login/native"),
  };
}

/** Returns the challenge of a sign-in by passkey; null if none is offered: PASSKEYS is off, or the host an address. */
function startPasskey(context: LoadContext, { uid }: OpenRequest): LoginPageProps["passkey"] {
  const relyingParty = context.config.passkeys ? findRelyingParty(context.config.issuer) : null;
  if (!relyingParty) return null;
  const challenge = issuePasskeyChallenge(context, { uid, browser: context.browser });
  return { relyingPartyId: relyingParty.id, challenge };
}

/** Responds to a GET with the page for the challenge in the query, and the user name that was typed before. */
export async function respondWithLoginPage(context: LoadContext, request: Request, otherAccount = false) {
  const challenge = challengeParameter(request);
  const isEmpty = otherAccount && !new URL(request.url).searchParams.has("typed");
  const username = isEmpty ? "" : await findTypedUsername(context, request, challenge);
  return respondWith(loadLoginPage(context, request, { challenge, otherAccount, username }));
}

/** Returns the form whose user name a change of the language keeps; null on pages without one. */
function languageFormOf({ state, nextStep }: Content, path: string): LanguageForm | null {
  if (state.login_result || state.login_hint) return null;
  if (state.error !== "challenge") return { id: SIGN_IN_FORM, path };
  return nextStep?.kind === "restart" ? { id: RESTART_FORM, path } : null;
}

type Input = LoginInput & { subject: Subject | null };

/** The data that differs between the states of the page. */
type Content = Pick<
  LoginPageProps,
  | "client"
  | "username"
  | "isRemembered"
  | "notice"
  | "nextStep"
  | "waitMinutes"
  | "errors"
  | "provider"
  | "cancelledProvider"
  | "isBlocked"
  | "isNew"
> & {
  state: Pick<LoginState, "error" | "login_hint" | "login_result"> & Partial<Pick<LoginState, "reg_hints">>;
};

async function openContent(
  context: LoadContext,
  open: OpenRequest,
  input: Input & { remembered: RememberedUsername | null },
): Promise<Content> {
  const { subject, problem } = input;
  context.allowFormsToLeave();
  const client = clientLabel(open.client);
  if (open.resumeUrl !== null && !problem) return usedContent({ client, username: "", subject, url: open.resumeUrl });
  const { username: typed, ...details } = problem ?? {};
  const error = problem?.errors[0];
  const unprovenUsername = !problem && !input.otherAccount ? await skipPrompt(context, open, input.challenge) : null;
  const given = typed ?? (input.username || open.loginHint || unprovenUsername || "");
  const remembered = rememberedFor(open, { ...input, given });
  const isRemembered = remembered !== null;
  const username = remembered ?? given;
  const isUnproven = unprovenUsername !== null || (await requiresProof(context, open, { ...input, username }));
  const notice = input.notice ?? (isUnproven ? { kind: "set-up" as const } : undefined);
  if (open.prompt === "select_account" && subject && !input.otherAccount) {
    const login_hint = { id: subject.userId, name: subject.displayName };
    return { client, username: subject.username, state: { ...(error ? { error } : {}), login_hint } };
  }
  const outcome = input.outcome ?? null;
  if (outcome && !problem && outcome.kind !== "choose") {
    if (outcome.kind === "not recent") {
      const { username: known, ...reason } = outcome;
      return { client, username: input.username ?? known, notice: reason, state: { reg_hints: [] } };
    }
    const result = providerResult(outcome, open.client.initiateLoginUri ?? context.config.appUrl);
    const reg_hints = "login_result" in result.state ? [] : await loadHints(context, open);
    return { client, username, isRemembered, ...result, state: { ...result.state, reg_hints } };
  }
  const isNew = open.client.registrationUrl !== null && (await isRegistered(context, { ...open, ...context }));
  const reg_hints = isNew ? [] : await loadHints(context, open);
  // A new user signs in next, under a name that this browser does not remember yet.
  const form = isNew ? { username: given, isNew } : { username, isRemembered, isNew };
  return { client, ...form, ...details, notice, state: { ...(error ? { error } : {}), reg_hints } };
}

/**
 * Returns the remembered user name if the form shows it: in place of an empty field, and again after the form with it
 * was posted. Null if the application or the session names a user, unless it is the same one, and for a user who wants
 * another account. `given`: the user name from elsewhere; "" without one.
 */
function rememberedFor(
  { loginHint, hintedUserId }: OpenRequest,
  { remembered, subject, problem, otherAccount, given }: Parameters<typeof openContent>[2] & { given: string },
): string | null {
  if (!remembered || loginHint) return null;
  const namedUserId = hintedUserId ?? subject?.userId ?? remembered.userId;
  if (namedUserId !== remembered.userId) return null;
  const isEmpty = given === "" && !problem && !otherAccount;
  return isEmpty || given === remembered.username ? remembered.username : null;
}

/** Returns the registration hints, if the application registers users. */
async function loadHints(context: LoadContext, open: OpenRequest) {
  const { registrationUrl } = open.client;
  if (!registrationUrl) return [];
  const { hints } = await findHints(context, { ...open, ...open.client, browser: context.browser });
  if (hints.length > 0) context.allowFormsToLeave();
  return hints;
}

/**
 * Returns true if the form reauthenticates a user before a first factor is set up: the second step redirected here, or
 * `username` is that of a live session whose proof of identity is too old. With another user name, the user wants
 * another account.
 */
async function requiresProof(
  context: LoadContext,
  open: OpenRequest,
  { otherAccount, outcome, username }: Input & { username: string },
): Promise<boolean> {
  if (otherAccount !== true || outcome) return false;
  if (await lacksProofForSetUp(context, { uid: open.uid, browser: context.browser })) return true;
  const setUp = await findFirstSetUp(context, await context.session(), open);
  return setUp !== null && !setUp.isProven && setUp.username === username;
}

/** Returns the content after a sign-in at a provider that did not sign the user in. */
function providerResult(outcome: Exclude<ExternalOutcome, { kind: "choose" | "not recent" }>, url: string) {
  const { kind, provider } = outcome;
  // A cancelled sign-in is not an error: the form is shown.
  if (kind === "cancelled") return { cancelledProvider: provider, state: {} };
  if (kind === "unknown") return { provider, state: { error: "credentials" } } as const;
  // The error code is that of a wrong password. The text may name the reason, because the provider has authenticated
  // the user, as on the page for the account selection.
  if (kind === "refused") return { isBlocked: true, state: { error: "credentials" } } as const;
  return { provider, state: { login_result: { status: "failed", code: "provider failed", to_app_url: url } } } as const;
}

type Closed = Exclude<Challenge, { kind: "open" }>;

async function closedContent(context: LoadContext, found: Closed, input: Input): Promise<Content> {
  const { challenge, subject, problem } = input;
  const username = problem?.username ?? input.username ?? "";
  if (found.kind === "missing") return disabledForm({ username, client: null, url: context.config.appUrl });
  context.allowFormsToLeave();
  const client = clientLabel(found.client);
  const url = found.client?.initiateLoginUri ?? context.config.appUrl;
  if (found.reason === "used") return usedContent({ client, username, subject, url });
  // The page with the form set the cookie: without it, another restart would end here again.
  if (context.isPosted && !context.hasBrowserCookie) {
    return { client, username, nextStep: { kind: "cookies", url }, state: { error: "challenge" } };
  }
  switch (found.reason) {
    case "expired": {
      const location = subject ? await restartRequest(context, { kept: found.kept, loginHint: null }) : null;
      if (location) throw redirect303(location);
      return { client, username, ...restartable({ reason: "expired", challenge, username }) };
    }
    case "foreign":
      return { client, username, ...restartable({ reason: foreignReason(context), challenge, username }) };
    default:
      return assertNever(found.reason);
  }
}

/** Without our cookie, the browser may be a new one, or may allow no cookies. */
function foreignReason({ hasBrowserCookie }: LoadContext) {
  return hasBrowserCookie ? "other-browser" : "no-cookie";
}

type Used = { client: LoginPageProps["client"]; username: string; subject: Subject | null; url: string };

/** The content for a completed request: the result if the user is signed in, else the disabled form. */
function usedContent({ client, username, subject, url }: Used): Content {
  if (!subject) return disabledForm({ username, client, url });
  return { client, username, state: { login_result: { status: "success", code: null, to_app_url: url } } };
}

function disabledForm(input: { username: string; client: LoginPageProps["client"]; url: string }): Content {
  const { username, client, url } = input;
  return { client, username, nextStep: { kind: "app", url }, state: { error: "challenge" } };
}

function restartable(input: {
  reason: "expired" | "other-browser" | "no-cookie";
  challenge: string;
  username: string;
}) {
  return { nextStep: { kind: "restart", ...input }, state: { error: "challenge" } } as const;
}

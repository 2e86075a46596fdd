import { assertNever } from "#app/domain/assert-never.ts";
import type { ExternalOutcome } from "#app/domain/external-account/outcome.server.ts";
import type { Provider } from "#app/domain/external-account/providers.ts";
import { findHints } from "#app/domain/external-account/registration-hints.server.ts";
import { isRegistered } from "#app/domain/registration/return.server.ts";
import { findFirstSetUp, lacksProofForSetUp } from "#app/domain/second-factor/step-up.server.ts";
import { findSubjectOfSession } from "#app/domain/sign-in/live-session.server.ts";
import type { Subject } from "#app/domain/sign-in/subject.server.ts";
import type { LoadContext } from "#app/http/load-context.server.ts";
import { clientLabel, type PageView, textsOf } from "#app/http/page-data.server.ts";
import { htmlStatus, redirect303 } from "#app/http/reply.server.ts";
import { bindingOf, issueXsrf } from "#app/http/xsrf.server.ts";
import { type Challenge, findChallenge, type OpenRequest } from "#app/oidc/challenges.server.ts";
import { restartRequest } from "#app/oidc/restart.server.ts";
import type { LoginError, LoginState } from "#app/ui/page-state.ts";
import { type LoginScreenProps, loginTitle } from "./login-page.tsx";
import { skipNeedlessQuestion } from "./skipped-prompt.server.ts";

export type LoginView = PageView<LoginState, LoginScreenProps>;

/** What went wrong with a posted form, and what was typed. */
export type LoginProblem = {
  error: LoginError;
  username: string;
  missing?: ("username" | "password")[];
  waitMinutes?: number;
  /** With `xsrf`: the choice of an account after a sign-in there is over. */
  provider?: Provider;
};

type LoginInput = {
  challenge: string;
  /** What the challenge leads to, where the same request has looked already. */
  found?: Challenge;
  /** The person wants the form although a session is live. */
  otherAccount?: boolean;
  /** The user name that the address carries, from a page in another language. */
  username?: string | null;
  problem?: LoginProblem;
  /** How the sign-in at a provider ended, on the pages that tell it. */
  outcome?: ExternalOutcome | null;
};

/**
 * The page of a sign-in request: the form, "You are logged in as", the result, or a way on.
 * @throws a redirect where there is nothing to ask (any more)
 */
export async function loginView(context: LoadContext, request: Request, input: LoginInput): Promise<LoginView> {
  const { challenge, found = await findChallenge(context, { kind: "login", challenge, browser: context.browser }) } =
    input;
  const subject = await findSubjectOfSession(context, await context.session());
  const shown =
    found.kind === "open"
      ? await openView(context, found.request, { ...input, subject })
      : await closedView(context, found, { ...input, subject });
  const { error, login_result } = shown.state;
  const state: LoginState = {
    reg_hints: [],
    ...shown.state,
    login_challenge: input.challenge,
    xsrf_token: issueXsrf(context, bindingOf(context, await context.session())),
  };
  return {
    providers: context.upstream.providers,
    ...shown,
    status: login_result?.status === "failed" ? 400 : htmlStatus(error),
    state,
    title: loginTitle(await textsOf(context, request), state),
  };
}

type Input = LoginInput & { subject: Subject | null };

/** What differs between the pages; the rest is the same for all. */
type Shown = Pick<
  LoginScreenProps,
  | "client"
  | "username"
  | "notice"
  | "wayOn"
  | "waitMinutes"
  | "missing"
  | "provider"
  | "cancelledProvider"
  | "isBlocked"
  | "isNew"
> & {
  state: Pick<LoginState, "error" | "login_hint" | "login_result"> & Partial<Pick<LoginState, "reg_hints">>;
};

async function openView(context: LoadContext, open: OpenRequest, input: Input): Promise<Shown> {
  const { subject, problem } = input;
  context.allowFormTarget(open.redirectUri);
  const client = clientLabel(open.client);
  if (open.answeredUrl !== null && !problem) return usedView({ client, username: "", subject, url: open.answeredUrl });
  const { error, username: typed, ...circumstances } = problem ?? {};
  const unproven = !problem && !input.otherAccount ? await skipNeedlessQuestion(context, open, input.challenge) : null;
  const username = typed ?? (input.username || open.loginHint || unproven || "");
  const notice =
    unproven !== null || (await asksForProof(context, open, { ...input, username }))
      ? ({ kind: "set-up" } as const)
      : undefined;
  if (open.prompt === "select_account" && subject && !input.otherAccount) {
    const login_hint = { id: subject.userId, name: subject.displayName };
    return { client, username: subject.username, state: { ...(error ? { error } : {}), login_hint } };
  }
  const outcome = input.outcome ?? null;
  if (outcome && !problem && outcome.kind !== "choose") {
    if (outcome.kind === "not recent") {
      const { username: known, ...facts } = outcome;
      return { client, username: known, notice: facts, state: { reg_hints: [] } };
    }
    const ended = endedElsewhere(outcome, open.client.initiateLoginUri ?? context.config.appUrl);
    const reg_hints = "login_result" in ended.state ? [] : await hintsToShow(context, open);
    return { client, username, ...ended, state: { ...ended.state, reg_hints } };
  }
  const isNew = open.client.registrationUrl !== null && (await isRegistered(context, { ...open, ...context }));
  const reg_hints = isNew ? [] : await hintsToShow(context, open);
  return { client, username, isNew, ...circumstances, notice, state: { ...(error ? { error } : {}), reg_hints } };
}

/** What is known of a person who may want an account, where the application gives accounts. */
async function hintsToShow(context: LoadContext, open: OpenRequest) {
  const { registrationUrl } = open.client;
  if (!registrationUrl) return [];
  const { hints } = await findHints(context, { ...open, ...open.client, browser: context.browser });
  if (hints.length > 0) context.allowFormTarget(registrationUrl);
  return hints;
}

/**
 * Whether the form asks a user to prove who they are before a first factor is set up: the second step has sent them here,
 * or `username` is that of a live session whose proof is too old. A user who wants another account types another name.
 */
async function asksForProof(
  context: LoadContext,
  open: OpenRequest,
  { otherAccount, outcome, username }: Input & { username: string },
): Promise<boolean> {
  if (otherAccount !== true || outcome) return false;
  if (await lacksProofForSetUp(context, { uid: open.uid, browser: context.browser })) return true;
  const setUp = await findFirstSetUp(context, await context.session(), open);
  return setUp !== null && !setUp.isProven && setUp.username === username;
}

/** The sign-in at a provider has signed nobody in. */
function endedElsewhere(outcome: Exclude<ExternalOutcome, { kind: "choose" | "not recent" }>, url: string) {
  const { kind, provider } = outcome;
  // The user's own choice is no failure: the request goes on with the form.
  if (kind === "cancelled") return { cancelledProvider: provider, state: {} };
  if (kind === "unknown") return { provider, state: { error: "credentials" } } as const;
  // The state is that of a wrong password. In words it may be told: they have proven who they are, as on the page where
  // one chooses between accounts.
  if (kind === "refused") return { isBlocked: true, state: { error: "credentials" } } as const;
  return { provider, state: { login_result: { status: "failed", code: "provider failed", to_app_url: url } } } as const;
}

type Closed = Exclude<Challenge, { kind: "open" }>;

async function closedView(context: LoadContext, found: Closed, input: Input): Promise<Shown> {
  const { challenge, subject, problem } = input;
  const username = problem?.username ?? input.username ?? "";
  if (found.kind === "missing") return switchedOff({ username, client: null, url: context.config.appUrl });
  context.allowFormTarget(found.redirectUri);
  const client = clientLabel(found.client);
  switch (found.reason) {
    case "used": {
      const url = found.client?.initiateLoginUri ?? context.config.appUrl;
      return usedView({ client, username, subject, url });
    }
    case "expired": {
      const location = subject ? await restartRequest(context, { uid: found.uid, loginHint: null }) : null;
      if (location) throw redirect303(location);
      return { client, username, ...restartable({ reason: "expired", challenge, username }) };
    }
    case "foreign":
      return { client, username, ...restartable({ reason: "other-browser", challenge, username }) };
    default:
      return assertNever(found.reason);
  }
}

type Used = { client: LoginScreenProps["client"]; username: string; subject: Subject | null; url: string };

/** The request was answered: the result where somebody is signed in, else the form that is switched off. */
function usedView({ client, username, subject, url }: Used): Shown {
  if (!subject) return switchedOff({ username, client, url });
  return { client, username, state: { login_result: { status: "success", code: null, to_app_url: url } } };
}

function switchedOff(input: { username: string; client: LoginScreenProps["client"]; url: string }): Shown {
  const { username, client, url } = input;
  return { client, username, wayOn: { kind: "app", url }, state: { error: "challenge" } };
}

function restartable(input: { reason: "expired" | "other-browser"; challenge: string; username: string }) {
  return { wayOn: { kind: "restart", ...input }, state: { error: "challenge" } } as const;
}

import { type ActionFunctionArgs, data, type LoaderFunctionArgs } from "@remix-run/node";
import type { TFunction } from "i18next";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { PROVIDER_NAMES, type Provider } from "#app/config/providers.ts";
import { type ExternalOutcome, renewOutcomeToken } from "#app/domain/external-account/outcome.server.ts";
import { chooseAccount, listSelectable } from "#app/domain/sign-in/select-account.server.ts";
import { LOGIN_NAME_MAX_LENGTH } from "#app/domain/username/login-name.ts";
import { defineForm, text } from "#app/http/define-form.server.ts";
import { continueSignIn, outcomeHref, requireProvider, signInMetadata } from "#app/http/external-sign-in.server.ts";
import { isLanguageChange, readForm } from "#app/http/form.server.ts";
import type { LoadContext } from "#app/http/load-context.server.ts";
import { isOwnLoginForm, issueFormToken } from "#app/http/own-form.server.ts";
import { clientLabel, type PageView, textsOf } from "#app/http/page-data.server.ts";
import { htmlStatus, redirect303, respondWith } from "#app/http/reply.server.ts";
import { findChallenge, type OpenRequest } from "#app/oidc/challenges.server.ts";
import { type LoginPageData, loadLoginPage } from "#app/routes/login/login-page.server.ts";
import { LoginPage } from "#app/routes/login/login-page.tsx";
import { initials } from "#app/ui/account-row.tsx";
import { ErrorSummary } from "#app/ui/error-summary.tsx";
import { type ClientLabel, Page } from "#app/ui/page.tsx";
import type { AccountSelection, AccountSelectionError, AccountSelectionState } from "#app/ui/page-state.ts";
import { otherAccountHref } from "#app/ui/sign-in-request.ts";
import { pageTitle } from "#app/ui/title.ts";
import { usePage } from "#app/ui/use-page.ts";
import { XsrfInput } from "#app/ui/xsrf-input.tsx";

const accountForm = {
  ...defineForm({ login_challenge: text(), token: text(), username: text() }),
  // Sent with a change of the language, by the sign-in form.
  ignored: /^password$/,
};

export async function loader({ context, request, params }: LoaderFunctionArgs) {
  const provider = requireProvider(context, params["provider"]);
  const challenge = new URL(request.url).searchParams.get("login_challenge") ?? "";
  return respondWith(loadAccountPage(context, request, { provider, challenge }));
}

/** Continues with the selected account; `username` contains its id, or the typed name if the language is changed. */
export async function action({ context, request, params }: ActionFunctionArgs) {
  const provider = requireProvider(context, params["provider"]);
  const { _xsrf, login_challenge: challenge, token, username: userId } = await readForm(request, accountForm);
  if (isLanguageChange(request)) {
    const username = userId.slice(0, LOGIN_NAME_MAX_LENGTH);
    return respondWith(loadAccountPage(context, request, { provider, challenge, username }));
  }
  const showAgain = async (error: AccountSelectionError) => {
    const page = await loadAccountPage(context, request, { provider, challenge, error });
    return data(page, Math.max(400, page.status));
  };
  const found = await findChallenge(context, { kind: "login", challenge, browser: context.browser });
  if (found.kind !== "open") return showAgain("bad request");
  if (!(await isOwnLoginForm(context, _xsrf))) return showAgain("xsrf");
  if (userId === "") return showAgain("bad request");
  const chosen = await chooseAccount(context, {
    ...signInMetadata(context, found.request),
    provider,
    token,
    userId,
  });
  if (chosen.kind === "expired") return showAgain("xsrf");
  if (chosen.kind === "not recent") return redirect303(outcomeHref(provider, challenge));
  const location = await continueSignIn(context, chosen, { open: found.request, challenge });
  return location === null ? showAgain("credentials") : redirect303(location);
}

type SelectAccountPageData = PageView<AccountSelectionState, SelectAccountPageProps>;

type AccountPageData = ({ page: "select" } & SelectAccountPageData) | ({ page: "login" } & LoginPageData);

/** `username`: the user name that was typed before a change of the language. */
type Input = { provider: Provider; challenge: string; username?: string; error?: AccountSelectionError };

/**
 * Loads the page after a sign-in at a provider: the account selection, the result, or the sign-in form.
 * @throws a redirect if the request needs no input of the user
 */
async function loadAccountPage(
  context: LoadContext,
  request: Request,
  { provider, challenge, username, error }: Input,
): Promise<AccountPageData> {
  const { browser } = context;
  const found = await findChallenge(context, { kind: "login", challenge, browser });
  if (found.kind !== "open") return { page: "login", ...(await loadLoginPage(context, request, { challenge })) };
  const opened = await renewOutcomeToken(context, { uid: found.request.uid, browser });
  const isOwn = opened?.outcome.provider === provider;
  if (opened?.outcome.kind === "choose" && isOwn) {
    const choice = { ...opened.outcome, token: opened.token };
    const page = await loadSelection(context, request, { choice, challenge, open: found.request, error });
    return { page: "select", ...page };
  }
  const outcome = isOwn ? opened.outcome : null;
  const isExpired = error !== undefined && outcome === null;
  const problem = isExpired ? { problem: { errors: ["xsrf"], username: "", provider } as const } : {};
  return {
    page: "login",
    ...(await loadLoginPage(context, request, {
      challenge,
      otherAccount: true,
      outcome,
      username: username ?? null,
      languagePath: `/login/${provider}/account`,
      ...problem,
    })),
  };
}

type SelectionInput = {
  choice: Extract<ExternalOutcome, { kind: "choose" }> & { token: string };
  challenge: string;
  open: OpenRequest;
  error: AccountSelectionError | undefined;
};

async function loadSelection(
  context: LoadContext,
  request: Request,
  { choice, challenge, open, error }: SelectionInput,
): Promise<SelectAccountPageData> {
  context.allowFormsToLeave();
  const language = await context.language();
  const accounts = await listSelectable(context, { choice, language });
  const options = accounts.map(({ id, name, username, groupName, isBlocked, isLastUsed }) => ({
    id,
    name,
    username,
    group_name: groupName,
    blocked: isBlocked,
    last_used: isLastUsed,
  }));
  const state: AccountSelectionState = {
    ...(error ? { error } : {}),
    account_selection: { accounts: options, token: choice.token, login_challenge: challenge },
    xsrf_token: await issueFormToken(context),
  };
  return {
    status: htmlStatus(error),
    title: selectAccountTitle(await textsOf(context, request), state),
    state,
    provider: choice.provider,
    client: clientLabel(open.client),
  };
}

function selectAccountTitle(t: TFunction, { error }: AccountSelectionState): string {
  return pageTitle(t, t("selectAccount.title"), error !== undefined);
}

export default function ProviderAccount() {
  const page = usePage<typeof loader, typeof action>();
  return page.page === "select" ? <SelectAccountPage {...page} /> : <LoginPage {...page} />;
}

type SelectAccountPageProps = {
  state: AccountSelectionState;
  provider: Provider;
  client: ClientLabel | null;
};

/** Asks which of several accounts to use with an external identity. Each account is a button of the form. */
function SelectAccountPage({ state, provider, client }: SelectAccountPageProps): ReactNode {
  const { t } = useTranslation();
  const { accounts, token, login_challenge: challenge } = state.account_selection;
  const first = accounts.find(({ blocked }) => !blocked);
  const problem = state.error ? { text: t(PROBLEMS[state.error]), field: first && fieldOf(first.id) } : null;
  return (
    <Page
      title={t("selectAccount.heading")}
      lead={t("selectAccount.description", { provider: PROVIDER_NAMES[provider] })}
      before={problem ? <ErrorSummary code={state.error ?? ""} problems={[problem]} /> : null}
      tone={problem ? "error" : "normal"}
      client={client}
    >
      <form method="post" action={`/login/${provider}/account`}>
        <XsrfInput token={state.xsrf_token} />
        <input type="hidden" name="login_challenge" value={challenge} />
        <input type="hidden" name="token" value={token} />
        <ul className="choices" aria-label={t("selectAccount.legend")}>
          {accounts.map((account) => (
            <li key={account.id}>
              <AccountOption account={account} />
            </li>
          ))}
        </ul>
      </form>
      <a className="line-link" href={otherAccountHref(challenge)}>
        {t("selectAccount.native")}
      </a>
    </Page>
  );
}

const PROBLEMS = {
  "bad request": "selectAccount.error.none",
  credentials: "selectAccount.error.refused",
  xsrf: "common.formExpired",
} as const satisfies Record<AccountSelectionError, string>;

function fieldOf(id: string): string {
  return `account-${id}`;
}

/** The button of one account: name, user name and group; and the reason if the account is blocked. */
function AccountOption({ account }: { account: AccountSelection["accounts"][number] }): ReactNode {
  const { t } = useTranslation();
  const { name, username, group_name: group, blocked, last_used: isLastUsed } = account;
  const id = fieldOf(account.id);
  return (
    <button type="submit" className="choice" id={id} name="username" value={account.id} disabled={blocked}>
      <span className="initials" aria-hidden="true">
        {initials(name)}
      </span>
      <span>
        <b translate="no">{name}</b> <small translate="no">{username}</small>
        {group ? <small>{t("selectAccount.group", { group })}</small> : null}
        {isLastUsed ? <small className="last-used">{t("selectAccount.lastUsed")}</small> : null}
        {blocked ? <small>{t("selectAccount.blockedShort")}</small> : null}
      </span>
    </button>
  );
}

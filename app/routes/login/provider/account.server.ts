import type { TFunction } from "i18next";
import { type ExternalOutcome, renewOutcomeToken } from "#app/domain/external-account/outcome.server.ts";
import type { Provider } from "#app/domain/external-account/providers.ts";
import { listSelectable } from "#app/domain/external-account/selection.server.ts";
import type { LoadContext } from "#app/http/load-context.server.ts";
import { clientLabel, type PageView, textsOf } from "#app/http/page-data.server.ts";
import { htmlStatus } from "#app/http/reply.server.ts";
import { bindingOf, issueXsrf } from "#app/http/xsrf.server.ts";
import { detectLanguage } from "#app/i18n/language.server.ts";
import { findChallenge, type OpenRequest } from "#app/oidc/challenges.server.ts";
import { type LoginPageData, loadLoginPage } from "#app/routes/login/login-page.server.ts";
import type { ClientLabel } from "#app/ui/page.tsx";
import type { AccountSelectionError, AccountSelectionState } from "#app/ui/page-state.ts";
import { pageTitle } from "#app/ui/title.ts";

export type SelectAccountPageProps = {
  state: AccountSelectionState;
  provider: Provider;
  client: ClientLabel | null;
  /** Id of the account that was last used with this identity; it is preselected. */
  lastUsed: string | null;
};

type SelectAccountPageData = PageView<AccountSelectionState, SelectAccountPageProps>;

type AccountPageData = ({ page: "select" } & SelectAccountPageData) | ({ page: "login" } & LoginPageData);

type Input = { provider: Provider; challenge: string; error?: AccountSelectionError };

/**
 * Loads the page after a sign-in at a provider: the account selection, the result, or the sign-in form.
 * @throws a redirect if the request needs no input of the user
 */
export async function loadAccountPage(
  context: LoadContext,
  request: Request,
  { provider, challenge, error }: Input,
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
    ...(await loadLoginPage(context, request, { challenge, otherAccount: true, outcome, ...problem })),
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
  context.allowFormTarget(open.redirectUri);
  const { language } = await detectLanguage(request, "login");
  const accounts = await listSelectable(context, { choice, language });
  const options = accounts.map(({ id, name, groupName, isBlocked }) => ({
    id,
    name,
    group_name: groupName,
    blocked: isBlocked,
  }));
  const state: AccountSelectionState = {
    ...(error ? { error } : {}),
    account_selection: { accounts: options, token: choice.token, login_challenge: challenge },
    xsrf_token: issueXsrf(context, bindingOf(context, await context.session())),
  };
  return {
    status: htmlStatus(error),
    title: selectAccountTitle(await textsOf(context, request), state),
    state,
    provider: choice.provider,
    client: clientLabel(open.client),
    lastUsed: accounts.find(({ isLastUsed }) => isLastUsed)?.id ?? null,
  };
}

function selectAccountTitle(t: TFunction, { error }: AccountSelectionState): string {
  return pageTitle(t, t("selectAccount.title"), error !== undefined);
}

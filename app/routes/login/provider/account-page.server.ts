import { type ExternalOutcome, openOutcome } from "#app/domain/external-account/outcome.server.ts";
import type { Provider } from "#app/domain/external-account/providers.ts";
import { listSelectable } from "#app/domain/external-account/selection.server.ts";
import type { LoadContext } from "#app/http/load-context.server.ts";
import { clientLabel, type PageView, textsOf } from "#app/http/page-data.server.ts";
import { htmlStatus } from "#app/http/reply.server.ts";
import { bindingOf, issueXsrf } from "#app/http/xsrf.server.ts";
import { detectLanguage } from "#app/i18n/language.server.ts";
import { findChallenge, type OpenRequest } from "#app/oidc/challenges.server.ts";
import { type LoginView, loginView } from "#app/routes/login/login-page.server.ts";
import type { AccountSelectionError, AccountSelectionState } from "#app/ui/page-state.ts";
import { type SelectAccountScreenProps, selectAccountTitle } from "./account-page.tsx";

type SelectionView = PageView<AccountSelectionState, SelectAccountScreenProps>;

export type ExternalAccountView = ({ page: "select" } & SelectionView) | ({ page: "login" } & LoginView);

type Input = { provider: Provider; challenge: string; error?: AccountSelectionError };

/**
 * The page after a provider: the choice between accounts, how the sign-in ended, or the sign-in form.
 * @throws a redirect where there is nothing to ask (any more)
 */
export async function externalAccountView(
  context: LoadContext,
  request: Request,
  { provider, challenge, error }: Input,
): Promise<ExternalAccountView> {
  const { browser } = context;
  const found = await findChallenge(context, { kind: "login", challenge, browser });
  if (found.kind !== "open") return { page: "login", ...(await loginView(context, request, { challenge })) };
  const opened = await openOutcome(context, { uid: found.request.uid, browser });
  const isOwn = opened?.outcome.provider === provider;
  if (opened?.outcome.kind === "choose" && isOwn) {
    const choice = { ...opened.outcome, token: opened.token };
    const view = await selectionView(context, request, { choice, challenge, open: found.request, error });
    return { page: "select", ...view };
  }
  const outcome = isOwn ? opened.outcome : null;
  const isOver = error !== undefined && outcome === null;
  const problem = isOver ? { problem: { error: "xsrf", username: "", provider } as const } : {};
  return {
    page: "login",
    ...(await loginView(context, request, { challenge, otherAccount: true, outcome, ...problem })),
  };
}

type SelectionInput = {
  choice: Extract<ExternalOutcome, { kind: "choose" }> & { token: string };
  challenge: string;
  open: OpenRequest;
  error: AccountSelectionError | undefined;
};

async function selectionView(
  context: LoadContext,
  request: Request,
  { choice, challenge, open, error }: SelectionInput,
): Promise<SelectionView> {
  context.allowFormTarget(open.redirectUri);
  const { language } = await detectLanguage(request, "login");
  const accounts = await listSelectable(context, { choice, language });
  const shown = accounts.map(({ id, name, groupName, isBlocked }) => ({
    id,
    name,
    group_name: groupName,
    blocked: isBlocked,
  }));
  const state: AccountSelectionState = {
    ...(error ? { error } : {}),
    account_selection: { accounts: shown, token: choice.token, login_challenge: challenge },
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

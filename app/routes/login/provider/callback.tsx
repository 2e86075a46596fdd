import type { LoaderFunctionArgs } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import type { Provider } from "#app/config/providers.ts";
import { handleProviderResponse, requireProvider } from "#app/http/external-sign-in.server.ts";
import type { LoadContext } from "#app/http/load-context.server.ts";
import { issueFormToken } from "#app/http/own-form.server.ts";
import { textsOf } from "#app/http/page-data.server.ts";
import { redirect303, respondWith } from "#app/http/reply.server.ts";
import type { LoginPageData } from "#app/routes/login/login-page.server.ts";
import { LoginPage, loginTitle } from "#app/routes/login/login-page.tsx";
import type { LoginState } from "#app/ui/page-state.ts";

/** The redirect URI of the providers. Apple sends a POST, which a middleware has changed to this GET. */
export async function loader({ context, request, params }: LoaderFunctionArgs) {
  const provider = requireProvider(context, params["provider"]);
  const query = new URL(request.url).searchParams;
  const location = await handleProviderResponse(context, { provider, query });
  if (location !== null) return redirect303(location);
  return respondWith(loadFailedPage(context, request, provider));
}

/** Loads the page for a response of a provider that belongs to no sign-in of this browser. */
async function loadFailedPage(context: LoadContext, request: Request, provider: Provider): Promise<LoginPageData> {
  const state: LoginState = {
    reg_hints: [],
    login_challenge: "",
    login_result: { status: "failed", code: "challenge", to_app_url: context.config.appUrl },
    xsrf_token: await issueFormToken(context),
  };
  const title = loginTitle(await textsOf(context, request), state);
  return { status: 400, title, state, client: null, username: "", providers: [], provider, languageForm: null };
}

export default function ProviderCallback() {
  return <LoginPage {...useLoaderData<typeof loader>()} />;
}

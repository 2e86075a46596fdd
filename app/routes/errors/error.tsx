import { data, type LoaderFunctionArgs } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { MAX_QUOTED_CODE, MAX_QUOTED_DESCRIPTION, quotedText } from "#app/domain/quoted-text.ts";
import { textsOf } from "#app/http/page-data.server.ts";
import { isEngineError } from "#app/oidc/render-error.server.ts";
import type { OAuthErrorState } from "#app/ui/page-state.ts";
import { OAuthErrorScreen, oauthErrorTitle } from "./oauth-error-page.tsx";

export async function loader({ context, request }: LoaderFunctionArgs) {
  const query = new URL(request.url).searchParams;
  const read = (name: string) => query.get(name) || null;
  const sent = { error: read("error"), error_description: read("error_description") };
  const { secrets, browser } = context;
  const isVerified = isEngineError(secrets, { shown: sent, browser, sig: query.get("sig") ?? "" });
  const state: OAuthErrorState = isVerified
    ? sent
    : {
        error: quotedText(sent.error ?? "", MAX_QUOTED_CODE) || null,
        error_description: quotedText(sent.error_description ?? "", MAX_QUOTED_DESCRIPTION) || null,
      };
  const title = oauthErrorTitle(await textsOf(context, request));
  return data({ title, state, isVerified, appUrl: context.config.appUrl, reference: context.requestId }, 400);
}

export default function OAuthError() {
  return <OAuthErrorScreen {...useLoaderData<typeof loader>()} />;
}

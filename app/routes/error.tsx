import { data, type LoaderFunctionArgs } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { OAuthErrorScreen, oauthErrorTitle } from "#app/screens/oauth-error.tsx";
import type { OAuthErrorState } from "#app/screens/page-state.ts";
import { textsOf } from "#app/views/page-view.server.ts";

/** Longest value that is shown, in characters. */
const MAX_LENGTH = 200;

export async function loader({ context, request }: LoaderFunctionArgs) {
  const query = new URL(request.url).searchParams;
  const state: OAuthErrorState = {
    error: shortened(query, "error"),
    error_description: shortened(query, "error_description"),
  };
  const title = oauthErrorTitle(await textsOf(context, request));
  return data({ title, state, appUrl: context.config.appUrl, reference: context.requestId }, 400);
}

function shortened(query: URLSearchParams, name: string): string | null {
  return [...(query.get(name) ?? "")].slice(0, MAX_LENGTH).join("") || null;
}

export default function OAuthError() {
  return <OAuthErrorScreen {...useLoaderData<typeof loader>()} />;
}

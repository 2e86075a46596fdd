import { data, type LoaderFunctionArgs } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import type { ParseKeys, TFunction } from "i18next";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { MAX_QUOTED_CODE, MAX_QUOTED_DESCRIPTION, quotedText } from "#app/domain/base/quoted-text.ts";
import { textsOf } from "#app/http/page-data.server.ts";
import { isEngineError } from "#app/oidc/render-error.server.ts";
import { ButtonLink } from "#app/ui/button-link.tsx";
import { Page } from "#app/ui/page.tsx";
import type { OAuthErrorState } from "#app/ui/page-state.ts";
import { SupportDetails } from "#app/ui/support-details.tsx";
import { pageTitle } from "#app/ui/title.ts";

export async function loader({ context, request }: LoaderFunctionArgs) {
  const query = new URL(request.url).searchParams;
  const read = (name: string) => query.get(name) || null;
  const params = { error: read("error"), error_description: read("error_description") };
  const { secrets, browser } = context;
  const reference = read("reference");
  const isVerified = isEngineError(secrets, { shown: { ...params, reference }, browser, sig: query.get("sig") ?? "" });
  const state: OAuthErrorState = isVerified
    ? params
    : {
        error: quotedText(params.error ?? "", MAX_QUOTED_CODE) || null,
        error_description: quotedText(params.error_description ?? "", MAX_QUOTED_DESCRIPTION) || null,
      };
  const title = oauthErrorTitle(await textsOf(context, request));
  const shownReference = (isVerified ? reference : null) ?? context.requestId;
  return data({ title, state, isVerified, appUrl: context.config.appUrl, reference: shownReference }, 400);
}

function oauthErrorTitle(t: TFunction): string {
  return pageTitle(t, t("oauthError.title"), true);
}

export default function OAuthError() {
  return <OAuthErrorPage {...useLoaderData<typeof loader>()} />;
}

type OAuthErrorPageProps = {
  state: OAuthErrorState;
  /** True if the engine has set these values for this browser. */
  isVerified: boolean;
  appUrl: string;
  /** The id of the refused request in the log; that of this page if the values are not the engine's. */
  reference: string;
};

/** Shows an authorization error that cannot be returned to the application by redirect. */
export function OAuthErrorPage({ state, isVerified, appUrl, reference }: OAuthErrorPageProps): ReactNode {
  const { t } = useTranslation();
  const text = KNOWN_ERRORS.get(state.error);
  const isQuoted = !isVerified && (state.error !== null || state.error_description !== null);
  return (
    <Page title={t("oauthError.heading")} lead={t("oauthError.description")} tone="error">
      {text ? <p>{t(text)}</p> : null}
      <section className="flow flow-close" aria-labelledby="details">
        <h2 id="details">{isQuoted ? t("common.unverifiedDetails") : t("oauthError.detailsHeading")}</h2>
        {isQuoted ? (
          <blockquote className="unverified">
            <Details state={state} />
          </blockquote>
        ) : (
          <Details state={state} />
        )}
      </section>
      <ButtonLink href={appUrl}>{t("common.toApp")}</ButtonLink>
      <SupportDetails code={null} reference={reference} />
    </Page>
  );
}

/** The texts of known codes (RFC 6749 §4.1.2.1, OpenID Connect Core 1.0 §3.1.2.6). */
const KNOWN_ERRORS: ReadonlyMap<string | null, ParseKeys> = new Map([
  ["invalid_request", "oauthError.known.invalidRequest"],
  ["invalid_client", "oauthError.known.invalidClient"],
  ["unauthorized_client", "oauthError.known.unauthorizedClient"],
  ["invalid_redirect_uri", "oauthError.known.invalidRedirectUri"],
  ["invalid_scope", "oauthError.known.invalidScope"],
  ["unsupported_response_type", "oauthError.known.unsupportedResponseType"],
  ["access_denied", "oauthError.known.accessDenied"],
  ["temporarily_unavailable", "oauthError.known.temporarilyUnavailable"],
  ["server_error", "oauthError.known.serverError"],
]);

/** The values are untrusted request parameters: quoted, as text only. */
function Details({ state }: { state: OAuthErrorState }): ReactNode {
  const { t } = useTranslation();
  if (!state.error && !state.error_description) return <p>{t("oauthError.noDetails")}</p>;
  return (
    <dl className="details">
      {state.error ? (
        <>
          <dt>{t("oauthError.error")}</dt>
          <dd>
            <q>{state.error}</q>
          </dd>
        </>
      ) : null}
      {state.error_description ? (
        <>
          <dt>{t("oauthError.errorDescription")}</dt>
          <dd>
            <q>{state.error_description}</q>
          </dd>
        </>
      ) : null}
    </dl>
  );
}

import type { ParseKeys, TFunction } from "i18next";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { ButtonLink } from "#app/ui/button-link.tsx";
import { Facts } from "#app/ui/facts.tsx";
import { Page } from "#app/ui/page.tsx";
import type { OAuthErrorState } from "#app/ui/page-state.ts";
import { pageTitle } from "#app/ui/title.ts";

type OAuthErrorScreenProps = {
  state: OAuthErrorState;
  /** The engine wrote these values for this browser. */
  isVerified: boolean;
  appUrl: string;
  reference: string;
};

/** The page at /error: a request of an application that cannot be answered to the application itself. */
export function OAuthErrorScreen({ state, isVerified, appUrl, reference }: OAuthErrorScreenProps): ReactNode {
  const { t } = useTranslation();
  const known = KNOWN_ERRORS.get(state.error);
  const isQuoted = !isVerified && (state.error !== null || state.error_description !== null);
  return (
    <Page title={t("oauthError.heading")} lead={t("oauthError.description")} tone="error">
      {known ? <p>{t(known)}</p> : null}
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
      <Facts code={null} reference={reference} />
    </Page>
  );
}

/** What the known codes mean, in our own words (RFC 6749 §4.1.2.1, OpenID Connect Core 1.0 §3.1.2.6). */
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

/** The values come with the request, so they are quotations, and only text. */
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

export function oauthErrorTitle(t: TFunction): string {
  return pageTitle(t, t("oauthError.title"), true);
}

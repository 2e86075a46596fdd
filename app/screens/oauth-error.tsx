import type { TFunction } from "i18next";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { ButtonLink } from "#app/components/button-link.tsx";
import { Facts } from "#app/components/facts.tsx";
import { Page } from "#app/components/page.tsx";
import type { OAuthErrorState } from "./page-state.ts";
import { pageTitle } from "./title.ts";

type OAuthErrorScreenProps = { state: OAuthErrorState; appUrl: string; reference: string };

/** The page at /error: a request of an application that cannot be answered to the application itself. */
export function OAuthErrorScreen({ state, appUrl, reference }: OAuthErrorScreenProps): ReactNode {
  const { t } = useTranslation();
  return (
    <Page title={t("oauthError.heading")} lead={t("oauthError.description")} tone="error">
      <section className="flow flow-close" aria-labelledby="details">
        <h2 id="details">{t("oauthError.detailsHeading")}</h2>
        <Details state={state} />
      </section>
      <ButtonLink href={appUrl}>{t("common.toApp")}</ButtonLink>
      <Facts code={null} reference={reference} />
    </Page>
  );
}

/** Both values come from the address, so they are shown as quotations, and only as text. */
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

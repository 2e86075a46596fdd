import { data, type LoaderFunctionArgs } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import type { TFunction } from "i18next";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { isErrorCode } from "#app/domain/errors.ts";
import { MAX_QUOTED_CODE, quotedText } from "#app/domain/quoted-text.ts";
import { settingsTexts } from "#app/http/page-data.server.ts";
import { ButtonLink } from "#app/ui/button-link.tsx";
import { CookieNote } from "#app/ui/cookie-note.tsx";
import { useDocumentState } from "#app/ui/document-context.tsx";
import { Page } from "#app/ui/page.tsx";
import type { SettingsErrorState } from "#app/ui/page-state.ts";
import { SupportDetails } from "#app/ui/support-details.tsx";
import { pageTitle } from "#app/ui/title.ts";

/** Accepts every code; one that is not in the list of error codes is quoted on the page. */
export async function loader({ context, request, params }: LoaderFunctionArgs) {
  const { t } = await settingsTexts(context, request);
  const error = quotedText(params.code ?? "page_not_found", MAX_QUOTED_CODE);
  const state: SettingsErrorState = { error };
  const page = {
    title: pageTitle(t, t("manageError.title"), false),
    state,
    isKnown: error === "error" || isErrorCode(error),
    appUrl: context.config.appUrl,
    reference: context.requestId,
  };
  return data(page, statusOf(error));
}

function statusOf(code: string): number {
  if (code === "page_not_found") return 404;
  return code === "unauthorized" ? 401 : 400;
}

export default function SettingsError() {
  return <SettingsErrorPage {...useDocumentState(useLoaderData<typeof loader>())} />;
}

type SettingsErrorPageProps = {
  state: SettingsErrorState;
  /** False for a code that is not in the list of error codes: the URL may come from anywhere. */
  isKnown: boolean;
  appUrl: string;
  /** Reference that the log contains, too. */
  reference: string;
};

/** The page at /manage/error/{code}: the error, a link to continue, and details for support. */
export function SettingsErrorPage({ state, isKnown, appUrl, reference }: SettingsErrorPageProps): ReactNode {
  const { t } = useTranslation();
  const { error } = state;
  const isUnauthorized = error === "unauthorized";
  return (
    <Page title={errorText(t, error)} lead={isUnauthorized ? t("manageErrorHelp.unauthorized") : null} tone="error">
      {isUnauthorized ? <CookieNote /> : null}
      <div className="actions">
        {/* A plain link: the sign-in needs a document load. */}
        <ButtonLink href={isUnauthorized ? "/manage/open" : "/manage"}>
          {isUnauthorized ? t("manageError.open") : t("manageError.back")}
        </ButtonLink>
        {isUnauthorized ? (
          <ButtonLink href={appUrl} quiet>
            {t("common.toApp")}
          </ButtonLink>
        ) : null}
      </div>
      {isKnown || error === "" ? null : (
        <section className="flow flow-close" aria-labelledby="details">
          <h2 id="details">{t("common.unverifiedDetails")}</h2>
          <blockquote className="unverified">
            <q>{error}</q>
          </blockquote>
        </section>
      )}
      <SupportDetails code={isKnown ? error : null} reference={reference} />
    </Page>
  );
}

function errorText(t: TFunction, code: string): string {
  switch (code) {
    case "unauthorized":
      return t("manageError.unauthorized");
    case "page_not_found":
      return t("manageError.page_not_found");
    case "totp already registered":
      return t("manageError.totp_already_registered");
    case "totp not found":
      return t("manageError.totp_not_found");
    default:
      return t("manageError.generic");
  }
}

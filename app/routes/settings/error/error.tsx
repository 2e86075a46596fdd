import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/node";
import { useLoaderData, useRouteLoaderData } from "@remix-run/react";
import type { TFunction } from "i18next";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { failureResponse } from "#app/http/failure-response.server.ts";
import { SettingsPage } from "#app/routes/settings/page.tsx";
import { ButtonLink } from "#app/ui/button-link.tsx";
import { CookieNote } from "#app/ui/cookie-note.tsx";
import { useDocumentState } from "#app/ui/document-context.tsx";
import { Page } from "#app/ui/page.tsx";
import type { SettingsErrorState } from "#app/ui/page-state.ts";
import { SupportDetails } from "#app/ui/support-details.tsx";
import { loadErrorPage } from "./error.server.ts";
import { LAYOUT_ID } from "./layout-id.ts";

/** Shows the code of the URL, "page_not_found" for an unknown URL, or the error page of the middleware. */
export function loader({ context, request, params }: LoaderFunctionArgs) {
  if (context.failure) throw failureResponse(context.failure);
  return loadErrorPage({ context, request }, params.code ?? "page_not_found");
}

/** Responds to a form of the script that the middleware has refused, or to a form of no page. */
export function action({ context, request }: ActionFunctionArgs) {
  // Discards the rest of the body: a browser that is still sending it may not read the response.
  void request.body?.pipeTo(new WritableStream()).catch(() => {});
  throw failureResponse(context.failure);
}

export default function SettingsError() {
  const isFramed = useRouteLoaderData(LAYOUT_ID) != null;
  return <SettingsErrorPage {...useDocumentState(useLoaderData<typeof loader>())} isFramed={isFramed} />;
}

type SettingsErrorPageProps = {
  state: SettingsErrorState;
  /** False for a code that is not in the list of error codes: the URL may come from anywhere. */
  isKnown: boolean;
  appUrl: string;
  /** Path of the page whose form was lost with the access to the settings; null if none was. */
  lostForm: string | null;
  /** Reference that the log contains, too. */
  reference: string;
  /** True within the header and the navigation of the settings. */
  isFramed: boolean;
};

/** The page at /manage/error/{code}: the error, a link to continue, and details for support. */
export function SettingsErrorPage(props: SettingsErrorPageProps): ReactNode {
  const { state, isKnown, appUrl, lostForm, reference, isFramed } = props;
  const { t } = useTranslation();
  const { error } = state;
  const isUnauthorized = error === "unauthorized";
  const Frame = isFramed ? SettingsPage : Page;
  const help = lostForm === null ? t("manageErrorHelp.unauthorized") : t("manageErrorHelp.unsaved");
  return (
    <Frame title={errorText(t, error)} lead={isUnauthorized ? help : null} tone="error">
      {isUnauthorized ? <CookieNote /> : null}
      <div className="actions">
        {/* A plain link: the sign-in needs a document load. */}
        {isUnauthorized ? (
          <OpenAgain lostForm={lostForm} />
        ) : (
          <ButtonLink href="/manage">{t("manageError.back")}</ButtonLink>
        )}
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
    </Frame>
  );
}

function OpenAgain({ lostForm }: Pick<SettingsErrorPageProps, "lostForm">): ReactNode {
  const { t } = useTranslation();
  if (lostForm === null) return <ButtonLink href="/manage/open">{t("manageError.open")}</ButtonLink>;
  const url = `/manage/open?${new URLSearchParams({ to: lostForm })}`;
  return <ButtonLink href={url}>{t("manageError.openAgain")}</ButtonLink>;
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

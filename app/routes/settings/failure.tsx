import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { ButtonLink } from "#app/ui/button-link.tsx";
import { useDocumentContext } from "#app/ui/document-context.tsx";
import { ServerErrorPage } from "#app/ui/error-page.tsx";
import { serverErrorTexts } from "#app/ui/server-error-texts.ts";
import { SupportDetails } from "#app/ui/support-details.tsx";
import { type ServerError, useServerError } from "#app/ui/use-server-error.ts";
import { SettingsPage } from "./page.tsx";

/** The error of the surrounding error boundary; `isFramed`: within the header and the navigation of the settings. */
export function SettingsFailure({ isFramed }: { isFramed: boolean }): ReactNode {
  const error = useServerError();
  const { appUrl } = useDocumentContext();
  return isFramed ? <SettingsFailurePage {...error} /> : <ServerErrorPage {...error} appUrl={appUrl} />;
}

/** Of a failed form: the browser loads the form's page, whatever URL the server has rendered. */
const THIS_PAGE = "";

/** An error page of the settings: what happened, what was changed, and the page or the form again. */
function SettingsFailurePage({ state, retryUrl, waitMinutes, isForeignOrigin }: ServerError): ReactNode {
  const { t } = useTranslation();
  const { code, reference } = state.server_error;
  const texts = serverErrorTexts(code, isForeignOrigin);
  const isNotFound = code === 404;
  const changes = changesText(code, retryUrl !== null);
  return (
    <SettingsPage title={t(texts.title)} lead={t(texts.description, { count: waitMinutes ?? 1 })} tone="error">
      {changes ? <p>{t(changes)}</p> : null}
      <div className="actions">
        {isNotFound ? null : (
          <ButtonLink href={retryUrl ?? THIS_PAGE}>
            {retryUrl === null ? t("manageError.reload") : t("common.retry")}
          </ButtonLink>
        )}
        <ButtonLink href="/manage" quiet={!isNotFound}>
          {t("manageError.back")}
        </ButtonLink>
      </div>
      {reference === null ? null : <SupportDetails code={code} reference={reference} />}
    </SettingsPage>
  );
}

/** Returns what the failed request has changed; null where the description says it, or nothing could change. */
function changesText(code: number, hasRetryUrl: boolean) {
  if (code === 400 || code === 404 || code === 413) return null;
  // Without a response, the server may have done the work; a database may fail at the end of it (503, of a form too).
  if (code === 0 || code === 503 || (code === 500 && !hasRetryUrl)) return "manageError.unknownChange";
  return "manageError.nothingChanged";
}

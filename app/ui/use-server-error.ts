import { isRouteErrorResponse, useLocation, useRouteError } from "@remix-run/react";
import { useTranslation } from "react-i18next";
import { useDocumentContext, useDocumentState } from "./document-context.tsx";
import { serverErrorTitle } from "./error-page.tsx";
import type { ServerErrorState } from "./page-state.ts";
import { isForeignOrigin, referenceOf, retryUrlOf, waitMinutesOf } from "./refusal-data.ts";

/** Code of the error page if no response arrived. */
const NO_RESPONSE = 0;

/** Key of the location that was loaded as a document. */
const DOCUMENT_KEY = "default";

/**
 * The error of an error boundary. `retryUrl`: URL of the failed GET request; null after a form. `waitMinutes`: until the
 * next attempt, rounded up.
 */
export type ServerError = {
  state: ServerErrorState;
  retryUrl: string | null;
  waitMinutes: number | undefined;
  isForeignOrigin: boolean;
};

/** Reads the error of the surrounding error boundary, and sets the document's title and state to it. */
export function useServerError(): ServerError {
  const error = useRouteError();
  const { t } = useTranslation();
  const { key, pathname, search } = useLocation();
  const { requestId, retryUrl, state: loadedState } = useDocumentContext();
  // False if a navigation in the browser failed: then the document's context is that of an earlier page.
  const isDocument = key === DOCUMENT_KEY && "server_error" in loadedState;
  const reference = isDocument ? requestId : referenceOf(error);
  const failureCode = reference === null ? NO_RESPONSE : 500;
  const state: ServerErrorState = {
    server_error: { code: isRouteErrorResponse(error) ? error.status : failureCode, reference },
  };
  useDocumentState({ title: serverErrorTitle(t, state, isForeignOrigin(error)), state });
  // The page with the form can be loaded again.
  const retryUrlInBrowser = reference === null ? pathname + search : retryUrlOf(error);
  return {
    state,
    retryUrl: isDocument ? (retryUrl ?? retryUrlOf(error)) : retryUrlInBrowser,
    waitMinutes: waitMinutesOf(error),
    isForeignOrigin: isForeignOrigin(error),
  };
}

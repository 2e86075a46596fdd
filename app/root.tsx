import type { LinksFunction } from "@remix-run/node";
import { isRouteErrorResponse, Links, Meta, Outlet, Scripts, useLocation, useRouteError } from "@remix-run/react";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import loginStyles from "#app/styles/login.css?url";
import settingsStyles from "#app/styles/settings.css?url";
import { DocumentContextData, useDocumentContext, useDocumentState } from "#app/ui/document-context.tsx";
import { ServerErrorPage, serverErrorTitle } from "#app/ui/error-page.tsx";
import { Footer } from "#app/ui/footer.tsx";
import { PageChanges } from "#app/ui/page-changes.tsx";
import type { ServerErrorState } from "#app/ui/page-state.ts";
import { isForeignOrigin, referenceOf, retryUrlOf, waitMinutesOf } from "#app/ui/refusal-data.ts";
import { Shell } from "#app/ui/shell.tsx";

export const links: LinksFunction = () => [
  { rel: "stylesheet", href: loginStyles },
  { rel: "icon", href: "/favicon.svg", type: "image/svg+xml" },
  { rel: "apple-touch-icon", href: "/apple-touch-icon.png" },
];

/**
 * The document of every page. Pages of the login area load the client script but no React. Pages of the settings
 * hydrate and use the browser's language, so they have no language link.
 */
export function Layout({ children }: { children: ReactNode }) {
  const { i18n } = useTranslation();
  const documentContext = useDocumentContext();
  const { pathname, search } = useLocation();
  const hydrates = documentContext.area === "manage";
  // The URLs of refused forms and of requests refused by the middleware cannot be loaded by GET.
  const hasAddress = documentContext.retryUrl !== null || !("server_error" in documentContext.state);
  return (
    <html
      lang={i18n.language}
      data-area={documentContext.area}
      data-reloadable={documentContext.retryUrl === null ? undefined : ""}
    >
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{documentContext.title}</title>
        <Meta />
        <Links />
        {hydrates ? <link rel="stylesheet" href={settingsStyles} /> : null}
        {documentContext.brand ? <link rel="stylesheet" href={documentContext.brand.styleUrl} /> : null}
        {/* The script changes the page, so pages that hydrate load it after hydration: see PageChanges. */}
        {hydrates ? null : <script src={documentContext.scriptUrl} defer nonce={documentContext.nonce} />}
      </head>
      <body>
        <Shell
          state={documentContext.state}
          area={documentContext.area}
          footer={
            <Footer
              links={documentContext.legal}
              currentPage={
                hasAddress && !hydrates
                  ? { pathname, search, state: documentContext.state, form: documentContext.languageForm }
                  : null
              }
            />
          }
        >
          {children}
        </Shell>
        {hydrates ? (
          <>
            <DocumentContextData />
            <Scripts nonce={documentContext.nonce} />
          </>
        ) : null}
      </body>
    </html>
  );
}

export default function App() {
  const { area } = useDocumentContext();
  return (
    <>
      <Outlet />
      {/* After the Outlet, so that the effects of the page run first. */}
      {area === "manage" ? <PageChanges /> : null}
    </>
  );
}

/** Code of the error page if no response arrived. */
const NO_RESPONSE = 0;

export function ErrorBoundary() {
  const error = useRouteError();
  const { t } = useTranslation();
  const { pathname, search } = useLocation();
  const { appUrl, requestId, retryUrl, state: loadedState } = useDocumentContext();
  // False if a navigation in the browser failed: then the document's context is that of an earlier page.
  const isDocument = "server_error" in loadedState;
  const reference = isDocument ? requestId : referenceOf(error);
  const failureCode = reference === null ? NO_RESPONSE : 500;
  const state: ServerErrorState = {
    server_error: { code: isRouteErrorResponse(error) ? error.status : failureCode, reference },
  };
  // The page with the form can be loaded again.
  const retryUrlInBrowser = reference === null ? pathname + search : retryUrlOf(error);
  useDocumentState({ title: serverErrorTitle(t, state, isForeignOrigin(error)), state });
  return (
    <ServerErrorPage
      state={state}
      appUrl={appUrl}
      retryUrl={isDocument ? (retryUrl ?? retryUrlOf(error)) : retryUrlInBrowser}
      waitMinutes={waitMinutesOf(error)}
      isForeignOrigin={isForeignOrigin(error)}
    />
  );
}

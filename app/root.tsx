import type { LinksFunction } from "@remix-run/node";
import { Links, Meta, Outlet, Scripts, useLocation } from "@remix-run/react";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import administrationStyles from "#app/styles/administration.css?url";
import loginStyles from "#app/styles/login.css?url";
import settingsStyles from "#app/styles/settings.css?url";
import { isAdministrationPath } from "#app/ui/administration-path.ts";
import { DocumentContextData, useDocumentContext } from "#app/ui/document-context.tsx";
import { ServerErrorPage } from "#app/ui/error-page.tsx";
import { Footer } from "#app/ui/footer.tsx";
import { PageChanges } from "#app/ui/page-changes.tsx";
import { Shell } from "#app/ui/shell.tsx";
import { useServerError } from "#app/ui/use-server-error.ts";

export const links: LinksFunction = () => [
  { rel: "stylesheet", href: loginStyles },
  { rel: "icon", href: "/favicon.svg", type: "image/svg+xml" },
  { rel: "apple-touch-icon", href: "/apple-touch-icon.png" },
];

/**
 * The document of every page. Pages of the login area load the client script but no React. Pages of the settings
 * hydrate, except those of the administration, and use the browser's language, so they have no language link.
 */
export function Layout({ children }: { children: ReactNode }) {
  const { i18n } = useTranslation();
  const documentContext = useDocumentContext();
  const { pathname, search } = useLocation();
  const { hydrates } = documentContext;
  const isAdministration = isAdministrationPath(pathname);
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
        {documentContext.layout === "settings" ? <link rel="stylesheet" href={settingsStyles} /> : null}
        {isAdministration ? <link rel="stylesheet" href={administrationStyles} /> : null}
        {documentContext.brand ? <link rel="stylesheet" href={documentContext.brand.styleUrl} /> : null}
        {/* The script changes the page, so pages that hydrate load it after hydration: see PageChanges. */}
        {hydrates ? null : <script src={documentContext.scriptUrl} defer nonce={documentContext.nonce} />}
      </head>
      <body>
        <Shell
          state={documentContext.state}
          layout={documentContext.layout}
          footer={
            <Footer
              links={documentContext.legal}
              currentPage={
                hasAddress && !hydrates && !isAdministration
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
  const { hydrates } = useDocumentContext();
  return (
    <>
      <Outlet />
      {/* After the Outlet, so that the effects of the page run first. */}
      {hydrates ? <PageChanges /> : null}
    </>
  );
}

export function ErrorBoundary() {
  const { appUrl } = useDocumentContext();
  return <ServerErrorPage {...useServerError()} appUrl={appUrl} />;
}

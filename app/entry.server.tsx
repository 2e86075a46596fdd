import { Writable } from "node:stream";
import type { AppLoadContext, EntryContext, HandleErrorFunction } from "@remix-run/node";
import { isRouteErrorResponse, RemixServer } from "@remix-run/react";
import type { ReactElement } from "react";
import { renderToPipeableStream, renderToString } from "react-dom/server";
import { I18nextProvider } from "react-i18next";
import { fallbackPage } from "#app/http/fallback-page.server.ts";
import { logError } from "#app/http/log-error.server.ts";
import { getInstance } from "#app/i18n/instance.server.ts";
import { detectLanguage } from "#app/i18n/language.server.ts";
import { isAdministrationPath } from "#app/ui/administration-path.ts";
import { type DocumentContext, DocumentReactContext } from "#app/ui/document-context.tsx";
import { documentHead } from "./document-head.server.ts";
import { type DocumentData, renderFromTemplate } from "./page-template.server.ts";

/**
 * Time for which Remix keeps the data of a rendered page in case it contains pending promises, in milliseconds. Ours
 * never does; with the default of 5 s a busy server keeps thousands of pages in memory.
 */
export const streamTimeout = 500;

/**
 * Renders a page. Pages of the login area load no React in the browser and are rendered to a string, which takes a
 * quarter of the time of a stream. Pages of the settings hydrate.
 */
export default async function handleRequest(
  request: Request,
  status: number,
  headers: Headers,
  remixContext: EntryContext,
  context: AppLoadContext,
): Promise<Response> {
  const area = areaOf(request);
  const { language, setCookie } = await detectLanguage(request, area, context.config);
  headers.set("Content-Type", "text/html; charset=utf-8");
  headers.set("Content-Language", language);
  headers.append("Vary", "Accept-Language, Cookie");
  if (setCookie) headers.append("Set-Cookie", setCookie);
  const i18n = getInstance(language, context.config.productName);
  const documentContext: DocumentContext = {
    ...documentHead(remixContext, { area, t: i18n.t, requestId: context.requestId }),
    ...contextOfRequest(request, context),
    area,
    hydrates: area === "manage" && !isAdministrationPath(new URL(request.url).pathname) && !context.failure,
  };
  const document = (content: DocumentData) => (
    <I18nextProvider i18n={i18n}>
      <DocumentReactContext.Provider value={content.documentContext}>
        <RemixServer context={content.context} url={request.url} nonce={context.cspNonce} />
      </DocumentReactContext.Provider>
    </I18nextProvider>
  );
  try {
    const markup =
      area === "manage"
        ? await renderToBytes(document({ documentContext, context: remixContext }))
        : renderFromTemplate(
            { documentContext, context: withoutStream(remixContext), url: request.url, language },
            (content) => renderToString(document(content)),
          );
    return documentResponse(markup, status, headers);
  } catch (error) {
    // Remix renders a failed page again with its error boundary. If that fails too, the fallback page is sent.
    if (!remixContext.staticHandlerContext.errors) throw error;
    logError(context.log, error, { requestId: context.requestId, path: new URL(request.url).pathname });
    const { requestId, config } = context;
    const page = fallbackPage({ status: 500, code: "internal", requestId, language, config });
    for (const [name, value] of Object.entries(page.headers)) headers.set(name, value);
    return new Response(page.body, { status: 500, headers });
  }
}

/** Removes the hand-off stream, which only hydrated pages need; it would append markup to the document. */
function withoutStream({ serverHandoffStream: _stream, ...context }: EntryContext): EntryContext {
  return context;
}

/** Renders a hydrated page completely; only React's stream includes the loader data. */
function renderToBytes(page: ReactElement): Promise<Uint8Array<ArrayBuffer>> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const sink = new Writable({
      write(chunk: Buffer, _encoding, done) {
        // React 18 ends a chunk with zero bytes if the next letter does not fit: https://github.com/facebook/react/issues/24985
        chunks.push(chunk.subarray(0, chunk.findLastIndex((byte) => byte !== 0) + 1));
        done();
      },
    });
    sink.on("finish", () => resolve(new Uint8Array(Buffer.concat(chunks)))).on("error", reject);
    const { pipe } = renderToPipeableStream(page, {
      onAllReady: () => pipe(sink),
      onShellError: reject,
      onError: reject,
    });
  });
}

/** Sets Content-Length, so that the page is not sent in chunks. */
function documentResponse(markup: string | Uint8Array<ArrayBuffer>, status: number, headers: Headers): Response {
  const body = typeof markup === "string" ? Buffer.from(`<!DOCTYPE html>${markup}`) : markup;
  headers.set("Content-Length", String(body.byteLength));
  return new Response(body, { status, headers });
}

/** Logs errors of loaders, actions and components. A 503 is logged where it is created. */
export const handleError: HandleErrorFunction = (error, { request, context }) => {
  if (request.signal.aborted || (isRouteErrorResponse(error) && (error.status < 500 || error.status === 503))) return;
  logError(context.log, error, { requestId: context.requestId, path: new URL(request.url).pathname });
};

function contextOfRequest(
  request: Request,
  { config, requestId, hasBrowserCookie, cspNonce, scriptUrl, brand: files, failure }: AppLoadContext,
) {
  const { appUrl, issuer, startPage, productName, supportContact, imprintUrl, privacyUrl, termsUrl, sfdrUrl } = config;
  const legal = { imprint: imprintUrl, privacy: privacyUrl, terms: termsUrl, sfdr: sfdrUrl };
  const { pathname, search } = new URL(request.url);
  // Requests refused by the middleware are rendered under another URL.
  const retryUrl = request.method === "GET" && !failure ? pathname + search : null;
  const lacksCookie = hasBrowserCookie ? undefined : true;
  const brand = files.styleSheet ? { logoUrl: files.logo?.path ?? null, styleUrl: files.styleSheet.path } : undefined;
  return {
    legal,
    appUrl,
    hasStartPage: startPage === "applications",
    isAppFrontPage: new URL(appUrl).href === new URL("/", issuer).href ? (true as const) : undefined,
    product: productName,
    supportContact,
    requestId,
    retryUrl,
    lacksCookie,
    nonce: cspNonce,
    scriptUrl,
    brand,
  };
}

function areaOf(request: Request): "login" | "manage" {
  return /^\/manage(\/|$)/.test(new URL(request.url).pathname) ? "manage" : "login";
}

import type { AppLoadContext, EntryContext, HandleErrorFunction } from "@remix-run/node";
import { isRouteErrorResponse, RemixServer } from "@remix-run/react";
import { renderToString } from "react-dom/server";
import { I18nextProvider } from "react-i18next";
import { fallbackPage } from "#app/http/fallback-page.server.ts";
import { logError } from "#app/http/log-error.server.ts";
import { getInstance } from "#app/i18n/instance.server.ts";
import { detectLanguage } from "#app/i18n/language.server.ts";
import { type PageFacts, PageFactsContext } from "./page-facts.tsx";
import { pageOf } from "./page-of.server.ts";

/**
 * Remix keeps the data of a rendered page this long, in case a promise in it is still open. Ours never are; with the
 * default of five seconds a busy server holds thousands of pages in memory.
 */
export const streamTimeout = 500;

/**
 * Renders a page to a string: the pages of the login area have no live parts, load no React in the browser, and a
 * string costs a quarter of a stream.
 */
export default async function handleRequest(
  request: Request,
  status: number,
  headers: Headers,
  remixContext: EntryContext,
  context: AppLoadContext,
): Promise<Response> {
  const area = areaOf(request);
  const { language, setCookie } = await detectLanguage(request, area);
  headers.set("Content-Type", "text/html; charset=utf-8");
  headers.set("Content-Language", language);
  headers.append("Vary", "Accept-Language, Cookie");
  if (setCookie) headers.append("Set-Cookie", setCookie);
  const i18n = getInstance(language, context.config.productName);
  const facts: PageFacts = {
    ...pageOf(remixContext, i18n.t, context.requestId),
    ...documentFacts(request, context),
    area,
  };
  // The stream is for pages that hydrate; left in, it leaves its mark behind the document.
  const { serverHandoffStream: _stream, ...staticContext } = remixContext;
  const page = (
    <I18nextProvider i18n={i18n}>
      <PageFactsContext.Provider value={facts}>
        <RemixServer context={staticContext} url={request.url} nonce={context.cspNonce} />
      </PageFactsContext.Provider>
    </I18nextProvider>
  );
  try {
    return documentResponse(renderToString(page), status, headers);
  } catch (error) {
    // Remix renders a failed page a second time, with its error boundary. Nobody is left to render a third one.
    if (!remixContext.staticHandlerContext.errors) throw error;
    logError(context.log, error, { requestId: context.requestId, path: new URL(request.url).pathname });
    const { requestId, config } = context;
    const body = fallbackPage({ status: 500, code: "internal", requestId, issuer: config.issuer });
    return new Response(body, { status: 500, headers });
  }
}

/** With its length, a page goes out in one piece. */
function documentResponse(markup: string, status: number, headers: Headers): Response {
  const body = Buffer.from(`<!DOCTYPE html>${markup}`);
  headers.set("Content-Length", String(body.byteLength));
  return new Response(body, { status, headers });
}

/** Errors of loaders, actions and components. What a browser broke off, and refusals with a status, are none. */
export const handleError: HandleErrorFunction = (error, { request, context }) => {
  if (request.signal.aborted || (isRouteErrorResponse(error) && error.status < 500)) return;
  logError(context.log, error, { requestId: context.requestId, path: new URL(request.url).pathname });
};

/** Pages with a script of their own, beside the one of every page. */
const OWN_SCRIPTS = [
  { below: "/mfa/", script: "second-factor.js" },
  { below: "/password-reset/", script: "new-password.js" },
] as const;

function documentFacts(request: Request, { config, requestId, cspNonce, scripts, failure }: AppLoadContext) {
  const { appUrl, imprintUrl, privacyUrl, termsUrl, sfdrUrl } = config;
  const legal = { imprint: imprintUrl, privacy: privacyUrl, terms: termsUrl, sfdr: sfdrUrl };
  const { pathname, search } = new URL(request.url);
  // What the edge refused comes here under another address.
  const retryUrl = request.method === "GET" && !failure ? pathname + search : null;
  const ownScripts = OWN_SCRIPTS.filter(({ below }) => pathname.startsWith(below));
  const scriptUrls = [scripts["enhance.js"], ...ownScripts.map(({ script }) => scripts[script])];
  return { legal, appUrl, requestId, retryUrl, nonce: cspNonce, scriptUrls };
}

function areaOf(request: Request): "login" | "manage" {
  return /^\/manage(\/|$)/.test(new URL(request.url).pathname) ? "manage" : "login";
}

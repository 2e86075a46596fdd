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
import { type DocumentContext, DocumentReactContext } from "#app/ui/document-context.tsx";
import { pageOf } from "./document-head.server.ts";
import { type PageContent, renderFromTemplate } from "./page-template.server.ts";

/**
 * Remix keeps the data of a rendered page this long, in case a promise in it is still open. Ours never are; with the
 * default of five seconds a busy server holds thousands of pages in memory.
 */
export const streamTimeout = 500;

/**
 * Renders a page. The pages of the login area have no live parts and load no React in the browser: a string, which costs a
 * quarter of a stream. The pages of the settings hydrate.
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
  const facts: DocumentContext = {
    ...pageOf(remixContext, i18n.t, context.requestId),
    ...documentContext(request, context),
    area,
  };
  const document = (content: Pick<PageContent, "facts" | "context">) => (
    <I18nextProvider i18n={i18n}>
      <DocumentReactContext.Provider value={content.facts}>
        <RemixServer context={content.context} url={request.url} nonce={context.cspNonce} />
      </DocumentReactContext.Provider>
    </I18nextProvider>
  );
  try {
    const markup =
      area === "manage"
        ? await renderToBytes(document({ facts, context: remixContext }))
        : renderFromTemplate({ facts, context: withoutStream(remixContext), url: request.url, language }, (content) =>
            renderToString(document(content)),
          );
    return documentResponse(markup, status, headers);
  } catch (error) {
    // Remix renders a failed page a second time, with its error boundary. Nobody is left to render a third one.
    if (!remixContext.staticHandlerContext.errors) throw error;
    logError(context.log, error, { requestId: context.requestId, path: new URL(request.url).pathname });
    const { requestId, config } = context;
    const body = fallbackPage({ status: 500, code: "internal", requestId, issuer: config.issuer });
    return new Response(body, { status: 500, headers });
  }
}

/** The stream is for pages that hydrate; left in, it leaves its mark behind the document. */
function withoutStream({ serverHandoffStream: _stream, ...context }: EntryContext): EntryContext {
  return context;
}

/** A page that hydrates, whole: only React's stream carries the data along that its loaders gave. */
function renderToBytes(page: ReactElement): Promise<Uint8Array<ArrayBuffer>> {
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    const sink = new Writable({
      write(part: Buffer, _encoding, done) {
        parts.push(part);
        done();
      },
    });
    sink.on("finish", () => resolve(new Uint8Array(Buffer.concat(parts)))).on("error", reject);
    const { pipe } = renderToPipeableStream(page, {
      onAllReady: () => pipe(sink),
      onShellError: reject,
      onError: reject,
    });
  });
}

/** With its length, a page goes out in one piece. */
function documentResponse(markup: string | Uint8Array<ArrayBuffer>, status: number, headers: Headers): Response {
  const body = typeof markup === "string" ? Buffer.from(`<!DOCTYPE html>${markup}`) : markup;
  headers.set("Content-Length", String(body.byteLength));
  return new Response(body, { status, headers });
}

/**
 * Errors of loaders, actions and components. What a browser broke off, and refusals with a status, are none.
 * What a 503 came from is logged where it is turned into one.
 */
export const handleError: HandleErrorFunction = (error, { request, context }) => {
  if (request.signal.aborted || (isRouteErrorResponse(error) && (error.status < 500 || error.status === 503))) return;
  logError(context.log, error, { requestId: context.requestId, path: new URL(request.url).pathname });
};

/** Below which addresses pages need a script beside the one of every page. */
const OWN_SCRIPTS = {
  "enhance.js": ["/"],
  "second-factor.js": ["/mfa/"],
  "own-key.js": ["/manage/mfa/register-fido2"],
  "keep.js": ["/manage/mfa/register-totp", "/manage/mfa/recovery-codes"],
  "new-password.js": ["/password-reset/", "/manage/credentials/password"],
} as const satisfies Record<keyof AppLoadContext["scripts"], readonly string[]>;

function documentContext(request: Request, { config, requestId, cspNonce, scripts, failure }: AppLoadContext) {
  const { appUrl, productName, imprintUrl, privacyUrl, termsUrl, sfdrUrl } = config;
  const legal = { imprint: imprintUrl, privacy: privacyUrl, terms: termsUrl, sfdr: sfdrUrl };
  const { pathname, search } = new URL(request.url);
  // What the edge refused comes here under another address.
  const retryUrl = request.method === "GET" && !failure ? pathname + search : null;
  const own = (["enhance.js", "second-factor.js", "own-key.js", "keep.js", "new-password.js"] as const).map((name) => ({
    url: scripts[name],
    below: OWN_SCRIPTS[name],
  }));
  return { legal, appUrl, product: productName, requestId, retryUrl, nonce: cspNonce, scripts: own };
}

function areaOf(request: Request): "login" | "manage" {
  return /^\/manage(\/|$)/.test(new URL(request.url).pathname) ? "manage" : "login";
}

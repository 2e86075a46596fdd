import type { IncomingMessage } from "node:http";
import { buildSync } from "esbuild";
import type { ReactNode } from "react";
import type { Language } from "#app/i18n/language.ts";
import { type BrowserSession, type ContextOptions, startChromium } from "#tests/support/chromium.ts";
import { openPlace } from "#tests/support/relying-parties/place.ts";
import { render } from "#tests/unit/routes/render.tsx";

/** A request sent by the page's script or form. */
export type Sent = { path: string; headers: IncomingMessage["headers"]; body: string };

type JsonResponse = { status?: number; headers?: Record<string, string>; body: object };

export type ComponentPage = {
  /** All posts, in order. */
  sent: Sent[];
  /** Responses to JSON calls by path; calls without a response are aborted. */
  responses: Record<string, JsonResponse>;
  /** Opens this page with the product's styles, scripts and a strict CSP. */
  open(
    component: ReactNode,
    prepare?: (browser: BrowserSession) => Promise<unknown>,
    options?: ContextOptions,
  ): Promise<BrowserSession>;
  /** Opens this page in the same browser. */
  show(component: ReactNode, browser: BrowserSession, language?: Language): Promise<void>;
  close(): Promise<void>;
};

const POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; connect-src 'self'";

export type Place = { path: string; title: string };

/** Opens one page with the client script in a real browser, served by a server with scripted responses. */
export async function openComponentPage({ path, title }: Place): Promise<ComponentPage> {
  const [chromium, place] = await Promise.all([startChromium(), openPlace("localhost")]);
  const files: Record<string, [type: string, text: string]> = {
    "/login.css": ["text/css", bundle("app/styles/login.css")],
    "/client.js": ["text/javascript", bundle("app/client/main.ts")],
  };
  const sent: Sent[] = [];
  const responses: ComponentPage["responses"] = {};
  let shown = "";
  place.serve(async (request, response) => {
    const requestedPath = new URL(request.url ?? "/", place.url).pathname;
    const [type, text] = files[requestedPath] ?? ["text/html", shown];
    response.setHeader("content-security-policy", POLICY);
    if (request.method === "GET") return response.setHeader("content-type", type).end(text);
    sent.push({ path: requestedPath, headers: request.headers, body: await readBody(request) });
    const isForm = request.headers["content-type"]?.startsWith("application/x-www-form-urlencoded");
    const scripted = responses[requestedPath];
    if (isForm) {
      return response.setHeader("content-type", "text/html").end(documentOf(title, "<main><h1>Sent</h1></main>"));
    }
    if (!scripted) return request.socket.destroy();
    response.writeHead(scripted.status ?? 200, { "content-type": "application/json", ...scripted.headers });
    return response.end(JSON.stringify(scripted.body));
  });
  async function show(component: ReactNode, { page }: BrowserSession, language: Language = "en") {
    shown = documentOf(title, render(component, language).html, language);
    await page.goto(place.url + path);
  }

  return {
    sent,
    responses,
    show,
    async open(component, prepare, options = {}) {
      const browser = await chromium.open({ expected: [/^Failed to load resource: net::ERR_/], ...options });
      await prepare?.(browser);
      await show(component, browser);
      return browser;
    },
    async close() {
      await chromium.close();
      await place.close();
    },
  };
}

function documentOf(title: string, body: string, language: Language = "en"): string {
  return `<!DOCTYPE html><html lang="${language}"><head><meta charset="utf-8"><title>${title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,"><link rel="stylesheet" href="/login.css">
<script src="/client.js" defer></script></head><body>${body}</body></html>`;
}

function bundle(entry: string): string {
  const isScript = entry.endsWith(".ts");
  const built = buildSync({
    entryPoints: [entry],
    bundle: true,
    write: false,
    ...(isScript ? { format: "iife", target: "es2019" } : {}),
  });
  return built.outputFiles[0]?.text ?? "";
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

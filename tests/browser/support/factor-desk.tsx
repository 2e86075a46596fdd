import type { IncomingMessage } from "node:http";
import { buildSync } from "esbuild";
import type { ReactNode } from "react";
import { type PersonsBrowser, startChromium } from "#tests/support/chromium.ts";
import { openPlace } from "#tests/support/relying-parties/place.ts";
import { render } from "#tests/unit/screens/render.tsx";

/** What the page's script and forms sent. */
export type Sent = { path: string; headers: IncomingMessage["headers"]; body: string };

export type JsonAnswer = { status?: number; headers?: Record<string, string>; body: object };

export type FactorDesk = {
  /** All that was posted, in order. */
  sent: Sent[];
  /** What the JSON calls are answered with, by path; a call without an answer is broken off. */
  answers: Record<string, JsonAnswer>;
  /** Opens this screen at /mfa/verify as the product's pages are: with style, both scripts, and a strict policy. */
  open(screen: ReactNode, prepare?: (person: PersonsBrowser) => Promise<unknown>): Promise<PersonsBrowser>;
  /** The same browser comes to this screen. */
  show(screen: ReactNode, person: PersonsBrowser): Promise<void>;
  close(): Promise<void>;
};

const POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; connect-src 'self'";

/** One screen and its script in a real browser, and a desk that answers as the test says. */
export async function openFactorDesk(): Promise<FactorDesk> {
  const [chromium, place] = await Promise.all([startChromium(), openPlace("localhost")]);
  const files: Record<string, [type: string, text: string]> = {
    "/login.css": ["text/css", bundle("app/styles/login.css")],
    "/enhance.js": ["text/javascript", bundle("app/enhance/main.ts")],
    "/second-factor.js": ["text/javascript", bundle("app/enhance/second-factor.ts")],
  };
  const sent: Sent[] = [];
  const answers: FactorDesk["answers"] = {};
  let shown = "";
  place.serve(async (request, response) => {
    const path = new URL(request.url ?? "/", place.url).pathname;
    const [type, text] = files[path] ?? ["text/html", shown];
    response.setHeader("content-security-policy", POLICY);
    if (request.method === "GET") return response.setHeader("content-type", type).end(text);
    sent.push({ path, headers: request.headers, body: await readBody(request) });
    const isForm = request.headers["content-type"]?.startsWith("application/x-www-form-urlencoded");
    const answer = answers[path];
    if (isForm) return response.setHeader("content-type", "text/html").end(documentOf("<main><h1>Sent</h1></main>"));
    if (!answer) return request.socket.destroy();
    response.writeHead(answer.status ?? 200, { "content-type": "application/json", ...answer.headers });
    return response.end(JSON.stringify(answer.body));
  });
  async function show(screen: ReactNode, { page }: PersonsBrowser) {
    shown = documentOf(render(screen).html);
    await page.goto(`${place.url}/mfa/verify`);
  }

  return {
    sent,
    answers,
    show,
    async open(screen, prepare) {
      const person = await chromium.open({ expected: [/^Failed to load resource: net::ERR_/] });
      await prepare?.(person);
      await show(screen, person);
      return person;
    },
    async close() {
      await chromium.close();
      await place.close();
    },
  };
}

function documentOf(body: string): string {
  return `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>Confirm your sign-in | Gatehouse</title>
<link rel="icon" href="data:,"><link rel="stylesheet" href="/login.css">
<script src="/enhance.js" defer></script><script src="/second-factor.js" defer></script></head><body>${body}</body></html>`;
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

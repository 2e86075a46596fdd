import { request as httpRequest } from "node:http";
import { type CookieJar, createCookieJar } from "#tests/support/cookie-jar.ts";
import { freePort } from "#tests/support/free-port.ts";
import { type Page, readPage } from "#tests/support/html.ts";
import { startServer, type TestServer } from "#tests/support/server.ts";

const ISSUER = "https://login.office.example";

export type SecureResponse = {
  status: number;
  headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  setCookies: readonly string[];
  /** The absolute URL of the Location header; null without one. */
  location: string | null;
  page(): Page;
};

/** A browser whose requests pass a TLS-terminating proxy, as in production. */
export type SecureBrowser = {
  jar: CookieJar;
  get(url: string): Promise<SecureResponse>;
  post(url: string, fields: Readonly<Record<string, string>>): Promise<SecureResponse>;
  /** Follows redirects up to a page, or to a redirect to an application. */
  follow(response: SecureResponse): Promise<SecureResponse>;
};

export type SecureServer = TestServer & { secureBrowser(): SecureBrowser };

/** Starts the product with an https issuer, and the proxy in front of it. */
export async function startBehindTls(): Promise<SecureServer> {
  const port = await freePort();
  const env = { ISSUER, PORT: String(port), TRUST_PROXY: "127.0.0.1/32,::1/128" };
  const server = await startServer({ env });
  return { ...server, secureBrowser: () => createSecureBrowser(port) };
}

function createSecureBrowser(port: number): SecureBrowser {
  const jar = createCookieJar();

  async function send(method: string, target: string, body: string | null): Promise<SecureResponse> {
    const url = new URL(target, ISSUER);
    const cookies = jar.header(url);
    const response = await forward({ port, method, url, body, cookies });
    jar.take(url, response.setCookies);
    return response;
  }

  const get: SecureBrowser["get"] = (url) => send("GET", url, null);

  async function follow(response: SecureResponse) {
    let current = response;
    while (current.location?.startsWith(ISSUER)) current = await get(current.location);
    return current;
  }

  return { jar, get, follow, post: (url, fields) => send("POST", url, new URLSearchParams(fields).toString()) };
}

type Forwarded = { port: number; method: string; url: URL; body: string | null; cookies: string | null };

/** Sends a request as the proxy does: over plain HTTP with forwarding headers. */
function forward({ port, method, url, body, cookies }: Forwarded): Promise<SecureResponse> {
  const headers = {
    host: url.host,
    "x-forwarded-for": "203.0.113.5",
    "x-forwarded-proto": "https",
    ...(cookies === null ? {} : { cookie: cookies }),
    ...(body === null
      ? {}
      : {
          origin: ISSUER,
          "content-type": "application/x-www-form-urlencoded",
          "content-length": String(Buffer.byteLength(body)),
        }),
  };
  return new Promise((resolve, reject) => {
    const path = url.pathname + url.search;
    const request = httpRequest({ host: "127.0.0.1", port, method, path, headers, agent: false }, async (response) => {
      const chunks: Uint8Array[] = [];
      for await (const chunk of response) chunks.push(chunk);
      const { location } = response.headers;
      resolve({
        status: response.statusCode ?? 0,
        headers: response.headers,
        setCookies: response.headers["set-cookie"] ?? [],
        location: location === undefined ? null : new URL(location, url).href,
        page: () => readPage(Buffer.concat(chunks).toString("utf8")),
      });
    });
    request.once("error", reject);
    request.end(body ?? undefined);
  });
}

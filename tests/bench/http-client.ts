import { Agent, request as httpRequest, type IncomingHttpHeaders } from "node:http";
import { type CookieJar, createCookieJar } from "#tests/support/cookie-jar.ts";

const TIMEOUT_MS = 30_000;

export type HttpResponse = { status: number; headers: IncomingHttpHeaders; body: string; url: URL };

export type Request = {
  method?: "GET" | "POST";
  headers?: Readonly<Record<string, string>>;
  body?: string;
};

/** Sends requests to one server over persistent connections. */
export type HttpClient = { send(url: URL, request?: Request): Promise<HttpResponse>; close(): void };

/**
 * Connects to loopback; the URL's host is sent in the Host header only. With `ports`, requests go to these ports in turn, as
 * behind a reverse proxy, instead of the port of the URL.
 */
export function createHttpClient(connections: number, ports: readonly number[] = []): HttpClient {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  let count = 0;
  const portFor = (url: URL) => {
    count += 1;
    return ports[count % ports.length] ?? url.port;
  };
  return {
    send: (url, { method = "GET", headers = {}, body = "" } = {}) =>
      new Promise((resolve, reject) => {
        const length = method === "POST" ? { "content-length": String(Buffer.byteLength(body)) } : {};
        const request = httpRequest({
          ...{ agent, method, host: "127.0.0.1", port: portFor(url), path: `${url.pathname}${url.search}` },
          headers: { host: url.host, ...length, ...headers },
          timeout: TIMEOUT_MS,
        });
        request.once("timeout", () => request.destroy(new Error(`no response from ${url.pathname} in time.`)));
        request.once("error", reject);
        request.once("response", (response) => {
          let text = "";
          response.setEncoding("utf8").on("data", (chunk: string) => {
            text += chunk;
          });
          response.once("error", reject);
          response.once("end", () => {
            resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text, url });
          });
        });
        request.end(body);
      }),
    close: () => agent.destroy(),
  };
}

/** A user's browser with its own cookies and IP address. */
export type Browser = {
  jar: CookieJar;
  get(url: URL): Promise<HttpResponse>;
  /** Posts a form or JSON with the Origin of the URL. */
  post(url: URL, body: URLSearchParams | object): Promise<HttpResponse>;
};

/** Creates a browser without cookies. `address` is sent as X-Forwarded-For. */
export function createBrowser(http: HttpClient, address: string): Browser {
  const jar = createCookieJar();

  async function send(url: URL, request: Request): Promise<HttpResponse> {
    const cookie = jar.header(url);
    const result = await http.send(url, {
      ...request,
      headers: {
        accept: "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
        "accept-language": "en",
        "user-agent":
          "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36",
        "x-forwarded-for": address,
        ...(cookie === null ? {} : { cookie }),
        ...request.headers,
      },
    });
    jar.take(url, result.headers["set-cookie"] ?? []);
    return result;
  }

  return {
    jar,
    get: (url) => send(url, {}),
    post(url, body) {
      const isForm = body instanceof URLSearchParams;
      const type = isForm ? "application/x-www-form-urlencoded" : "application/json";
      const headers = { "content-type": type, origin: url.origin };
      return send(url, { method: "POST", headers, body: isForm ? body.toString() : JSON.stringify(body) });
    },
  };
}

/** Returns the target of a redirect. Throws if the response is not a 303. */
export function redirectOf({ status, headers, body, url }: HttpResponse): URL {
  if (status === 303 && headers.location !== undefined) return new URL(headers.location, url);
  throw new Error(`Expected a redirect from ${url.pathname}, got ${status}: ${body.slice(0, 500)}`);
}

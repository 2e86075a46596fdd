import { lookup as systemLookup } from "node:dns";
import { request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from "node:http";
import { globalAgent, request as httpsRequest } from "node:https";
import type { LookupFunction } from "node:net";
import { type CookieJar, createCookieJar } from "./cookie-jar.ts";
import { type Page, type PageForm, readPage } from "./html.ts";
import { noteAuthorization, noteJson, noteParameters, noteUrl } from "./sent-secrets.ts";

const REQUEST_TIMEOUT_MS = 30_000;
const MAX_REDIRECTS = 15;

/** User-Agent header of all requests. */
export const USER_AGENT = "Mozilla/5.0 (tests)";

/** A response with its complete body. */
export type HttpResponse = {
  status: number;
  headers: IncomingHttpHeaders;
  setCookies: readonly string[];
  /** The requested URL. */
  url: string;
  /** Absolute URL of the Location header; null without one. */
  location: string | null;
  body: string;
  page(): Page;
  json(): unknown;
};

export type RequestOptions = {
  headers?: Readonly<Record<string, string>>;
};

/** Form values; a list sends its name several times. */
export type FormValues = Readonly<Record<string, string | readonly string[]>>;

/** An HTTP client with cookies and forms. Redirects are followed only on request. */
export type Browser = {
  jar: CookieJar;
  get(url: string, options?: RequestOptions): Promise<HttpResponse>;
  /** Posts fields as a form. The default Origin is that of `url`. */
  post(url: string, fields: FormValues, options?: RequestOptions): Promise<HttpResponse>;
  postJson(url: string, body: unknown, options?: RequestOptions): Promise<HttpResponse>;
  /** Sends any request, with the body unchanged. */
  send(method: string, url: string, body: string | Uint8Array | null, options?: RequestOptions): Promise<HttpResponse>;
  /** Fills in and submits a form. Throws if the form has no such field. */
  submit(on: HttpResponse, form: PageForm, values?: FormValues, button?: string): Promise<HttpResponse>;
  /** Follows redirects until a response is not a redirect. */
  follow(response: HttpResponse): Promise<HttpResponse>;
  /** Follows redirects until a Location begins with the prefix; returns it without requesting it. */
  followTo(response: HttpResponse, urlPrefix: string): Promise<URL>;
};

/** Creates a browser without cookies. `base` resolves relative URLs; `language` is sent as Accept-Language. */
export function createBrowser({
  base,
  language = "en",
  jar = createCookieJar(),
}: {
  base: string;
  language?: string;
  jar?: CookieJar;
}): Browser {
  async function send(method: string, target: string, body: string | Uint8Array | null, options: RequestOptions = {}) {
    const url = new URL(target, base);
    const cookies = jar.header(url);
    noteUrl(url.href);
    noteAuthorization(options.headers?.authorization);
    if (typeof body === "string") noteBody(body);
    const response = await sendRequest(method, url, body, {
      accept: "text/html,application/xhtml+xml,*/*;q=0.8",
      "accept-language": language,
      "user-agent": USER_AGENT,
      ...(cookies === null ? {} : { cookie: cookies }),
      ...options.headers,
    });
    jar.take(url, response.setCookies);
    noteUrl(response.location ?? "");
    noteJson(response.body);
    return response;
  }

  const get: Browser["get"] = (url, options) => send("GET", url, null, options);

  const post: Browser["post"] = (url, fields, options = {}) =>
    send("POST", url, encodeFields(Object.entries(fields)), {
      headers: {
        "content-type": "application/x-www-form-urlencoded",
        origin: new URL(url, base).origin,
        ...options.headers,
      },
    });

  const postJson: Browser["postJson"] = (url, body, options = {}) =>
    send("POST", url, JSON.stringify(body), {
      headers: {
        accept: "application/json",
        "content-type": "application/json",
        origin: new URL(url, base).origin,
        ...options.headers,
      },
    });

  async function follow(response: HttpResponse) {
    let current = response;
    for (let hops = 0; current.location !== null && isRedirect(current); hops += 1) {
      if (hops === MAX_REDIRECTS) throw new Error(`Too many redirects, the last one to ${current.location}`);
      current = await get(current.location);
    }
    return current;
  }

  async function followTo(response: HttpResponse, urlPrefix: string) {
    let current = response;
    for (let hops = 0; hops < MAX_REDIRECTS; hops += 1) {
      if (current.location === null || !isRedirect(current)) {
        throw new Error(
          `Expected a redirect to ${urlPrefix}, got ${current.status} from ${current.url}: ${current.body.slice(0, 2_000)}`,
        );
      }
      if (current.location.startsWith(urlPrefix)) return new URL(current.location);
      current = await get(current.location);
    }
    throw new Error(`No redirect led to ${urlPrefix}; the last one led to ${current.location}`);
  }

  const submit: Browser["submit"] = (on, form, values = {}, button) => {
    const fields = fillIn(form, values, button);
    const target = new URL(form.action || on.url, on.url);
    if (form.method !== "post") return get(`${target.origin}${target.pathname}?${encodeFields(fields)}`);
    return send("POST", target.href, encodeFields(fields), {
      headers: { "content-type": "application/x-www-form-urlencoded", origin: new URL(on.url).origin },
    });
  };

  return { jar, get, post, postJson, send, submit, follow, followTo };
}

function noteBody(body: string): void {
  if (body.startsWith("{")) noteJson(body);
  else noteParameters(body);
}

type Field = readonly [name: string, value: string | readonly string[]];

function fillIn(form: PageForm, values: FormValues, button?: string): Field[] {
  for (const name of Object.keys(values)) {
    if (!form.fields.some(([known]) => known === name)) {
      throw new Error(`The form that posts to ${form.action} has no field "${name}".`);
    }
  }
  const untouched = form.fields.filter(([name]) => values[name] === undefined);
  const pressed = form.buttons.find(({ label, name }) => button !== undefined && (label === button || name === button));
  if (button !== undefined && pressed === undefined) {
    throw new Error(`The form that posts to ${form.action} has no button "${button}".`);
  }
  const pressedField: Field[] = pressed?.name ? [[pressed.name, pressed.value]] : [];
  return [...untouched, ...Object.entries(values), ...pressedField];
}

function encodeFields(fields: readonly Field[]) {
  const pairs = fields.flatMap(([name, value]) => [value].flat().map((one) => [name, one]));
  return new URLSearchParams(pairs).toString();
}

function isRedirect({ status }: HttpResponse) {
  return status >= 300 && status < 400;
}

/** Resolves localhost at once: each request has a new connection, and the system's resolver needs a thread. */
const lookup: LookupFunction = (hostname, options, callback) => {
  if (hostname !== "localhost") return systemLookup(hostname, options, callback);
  const found = { address: "127.0.0.1", family: 4 };
  // As the system's resolver, not before the caller continues.
  return process.nextTick(() => (options.all ? callback(null, [found]) : callback(null, found.address, found.family)));
};

function sendRequest(method: string, url: URL, body: string | Uint8Array | null, headers: Record<string, string>) {
  return new Promise<HttpResponse>((resolve, reject) => {
    const length = body === null ? {} : { "content-length": String(Buffer.byteLength(body)) };
    const options = { method, headers: { ...length, ...headers }, agent: false, lookup };
    // Tests with their own certificate set it on the global agent.
    const { ca } = globalAgent.options;
    const request = url.protocol === "https:" ? httpsRequest(url, { ...options, ca }) : httpRequest(url, options);
    request.setTimeout(REQUEST_TIMEOUT_MS, () => request.destroy(new Error(`no response from ${url.pathname}`)));
    request.once("error", reject);
    request.once("response", (response) => {
      readBody(response).then((text) => resolve(toHttpResponse(url, response, text)), reject);
    });
    request.end(body ?? undefined);
  });
}

async function readBody(response: IncomingMessage) {
  const chunks: Uint8Array[] = [];
  for await (const chunk of response) chunks.push(chunk);
  return Buffer.concat(chunks).toString("utf8");
}

function toHttpResponse(url: URL, response: IncomingMessage, body: string): HttpResponse {
  const { location } = response.headers;
  let page: Page | null = null;
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    setCookies: response.headers["set-cookie"] ?? [],
    url: url.href,
    location: location === undefined ? null : new URL(location, url).href,
    body,
    page() {
      page ??= readPage(body);
      return page;
    },
    json: (): unknown => JSON.parse(body),
  };
}

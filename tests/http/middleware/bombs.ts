import { type RawResponse, sendRaw } from "./raw-client.ts";

const FORM = "application/x-www-form-urlencoded";
const TEN_MEGABYTES = 10 * 1024 * 1024;

/** A malicious request body and the expected status. */
type Bomb = {
  body: Uint8Array;
  status: number;
  /** "" sends no content type. */
  type: string;
  headers: readonly string[];
  /** Sent without a content length. */
  chunked: boolean;
};

export function repeat(count: number, part: (index: number) => string): string[] {
  return Array.from({ length: count }, (_, at) => part(at));
}

function bomb(body: string | Uint8Array, status: number, others: Partial<Bomb> = {}): Bomb {
  return { body: Buffer.from(body), status, type: FORM, headers: [], chunked: false, ...others };
}

/** Created once, so that their memory is not attributed to the server. */
export const BOMBS: Readonly<Record<string, Bomb>> = {
  "a sparse list of a hundred million": bomb("a[99999999]=", 400),
  "a sparse list under a field's own name": bomb("username[99999999]=x", 400),
  "a thousand sparse lists": bomb(repeat(1000, (at) => `a${at}[99999999]=`).join("&"), 400),
  "a thousand fields": bomb(repeat(1000, (at) => `f${at}=${at}`).join("&"), 400),
  "a thousand times one field": bomb(repeat(1000, () => "_xsrf=x").join("&"), 400),
  "twenty thousand brackets": bomb(`a${"[".repeat(20_000)}=`, 400),
  "twenty thousand nested names": bomb(`a${"[b]".repeat(20_000)}=`, 400),
  "ten thousand dots": bomb(`a${".a".repeat(10_000)}=x`, 400),
  "only separators": bomb("&".repeat(60_000), 400),
  "fields of the prototype": bomb("__proto__[polluted]=1&constructor[prototype][polluted]=1", 400),
  "an unknown field": bomb("admin=1", 400),
  "ten megabytes": bomb(`_xsrf=${"a".repeat(TEN_MEGABYTES)}`, 413),
  "ten megabytes of unknown length": bomb(inOneChunk(`_xsrf=${"a".repeat(TEN_MEGABYTES)}`), 411, { chunked: true }),
  "bytes that are not UTF-8": bomb(Buffer.from([...Buffer.from("_xsrf="), 0xff, 0xfe, 0xc0, 0x80]), 400),
  "percent encoding that is not UTF-8": bomb("_xsrf=%ff%fe%c0%80", 400),
  "broken percent signs": bomb("_xsrf=%zz%", 400),
  "half a surrogate": bomb("_xsrf=%ed%a0%80", 400),
  "a NUL": bomb("_xsrf=anna%00admin", 400),
  "a raw NUL": bomb("_xsrf=anna\0admin", 400),
  "a NUL in a name": bomb("_xs%00rf=anna", 400),
  JSON: bomb('{"username":{"$ne":null}}', 415, { type: "application/json" }),
  XML: bomb('<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]><x>&e;</x>', 415, { type: "text/xml" }),
  "plain text": bomb("_xsrf=x", 415, { type: "text/plain" }),
  "a form in parts": bomb("--x--", 415, { type: "multipart/form-data; boundary=x" }),
  "in another character set": bomb("_xsrf=x", 415, { type: `${FORM}; charset=utf-16` }),
  "of no type": bomb("_xsrf=x", 415, { type: "" }),
};

function inOneChunk(text: string): string {
  return `${text.length.toString(16)}\r\n${text}\r\n0\r\n\r\n`;
}

/** Sends a bomb to a path, with the headers of a same-origin post. */
export function drop(url: string, path: string, { body, type, headers, chunked }: Bomb): Promise<RawResponse> {
  return sendRaw(url, {
    line: `POST ${path} HTTP/1.1`,
    headers: [
      `Host: ${new URL(url).host}`,
      `Origin: ${url}`,
      "Connection: close",
      ...(type === "" ? [] : [`Content-Type: ${type}`]),
      chunked ? "Transfer-Encoding: chunked" : `Content-Length: ${body.length}`,
      ...headers,
    ],
    body,
  });
}

import { type IncomingHttpHeaders, request } from "node:http";

export type HttpResponse = { status: number; headers: IncomingHttpHeaders; body: string };

export type Sent = { method?: string; headers?: Record<string, string>; body?: string | Uint8Array };

/** Browsers accept longer headers than Node does by default. */
const MAX_HEADER_BYTES = 256 * 1024;

/** Sends a request unchanged on its own connection, without cookies or redirects, with any Host and path. */
export function send(target: { port: number; host: string }, path: string, sent: Sent = {}): Promise<HttpResponse> {
  const { method = "GET", headers = {}, body } = sent;
  return new Promise((resolve, reject) => {
    const outgoing = request({
      host: "127.0.0.1",
      port: target.port,
      path,
      method,
      headers: { host: target.host, ...headers },
      agent: false,
      maxHeaderSize: MAX_HEADER_BYTES,
    });
    outgoing.on("response", (incoming) => {
      const chunks: Uint8Array[] = [];
      incoming.on("data", (chunk) => chunks.push(chunk));
      incoming.on("error", reject);
      incoming.on("end", () => {
        const text = Buffer.concat(chunks).toString();
        resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, body: text });
      });
    });
    outgoing.on("error", reject);
    outgoing.end(body);
  });
}

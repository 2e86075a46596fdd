import { connect, type Socket } from "node:net";

const TIMEOUT_MS = 15_000;
const CHUNK_BYTES = 64 * 1024;

export type RawResponse = { status: number; headers: Readonly<Record<string, string>>; body: string };

/** A request as raw bytes, which HTTP clients would refuse to send. */
type RawRequest = {
  /** Method, target and version, e.g. `GET / HTTP/1.1`. */
  line: string;
  /** Header lines, sent unchanged and without additions. */
  headers: readonly string[];
  /** Sent after the head, in chunks, for as long as the server reads. */
  body?: Uint8Array;
  /** Reads the response only after the whole body is sent, like simple clients. */
  wholeBody?: boolean;
};

/** Sends bytes and reads the response, even if the server responds before the end of the request. */
export async function sendRaw(url: string, request: RawRequest): Promise<RawResponse> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port) });
  socket.setNoDelay(true);
  // The server may close the connection after its response, while the body is still being sent.
  socket.on("error", () => {});
  try {
    await new Promise<void>((resolve, reject) => socket.once("connect", resolve).once("error", reject));
    if (request.wholeBody) socket.pause();
    const response = readResponse(socket, request.wholeBody ?? false);
    socket.write(`${[request.line, ...request.headers].join("\r\n")}\r\n\r\n`, "latin1");
    await Promise.race([response, writeBody(socket, request.body)]);
    if (request.wholeBody) socket.resume();
    return await response;
  } finally {
    socket.destroy();
  }
}

async function writeBody(socket: Socket, body: Uint8Array = new Uint8Array()) {
  for (let at = 0; at < body.length && socket.writable; at += CHUNK_BYTES) {
    await new Promise<void>((resolve) => socket.write(body.subarray(at, at + CHUNK_BYTES), () => resolve()));
  }
}

function readResponse(socket: Socket, later: boolean): Promise<RawResponse> {
  return new Promise((resolve, reject) => {
    let text = "";
    const timer = setTimeout(() => reject(new Error(`incomplete response: ${text.slice(0, 500)}`)), TIMEOUT_MS);
    const end = () => {
      clearTimeout(timer);
      if (text === "") reject(new Error("the server closed the connection without a response"));
      else resolve(parse(text));
    };
    socket.on("data", (chunk) => {
      text += chunk.toString("utf8");
      if (isWhole(text)) end();
    });
    socket.on("close", end);
    // Adding a data listener starts the flow.
    if (later) socket.pause();
  });
}

function isWhole(text: string) {
  const [head = "", ...rest] = text.split("\r\n\r\n");
  if (rest.length === 0) return false;
  const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
  return length !== undefined && Buffer.byteLength(rest.join("\r\n\r\n")) >= Number(length);
}

function parse(text: string): RawResponse {
  const [head = "", ...rest] = text.split("\r\n\r\n");
  const [line = "", ...lines] = head.split("\r\n");
  const headers = lines.map((header) => [
    header.split(":", 1)[0]?.toLowerCase() ?? "",
    header.replace(/^[^:]*: */, ""),
  ]);
  return { status: Number(line.split(" ")[1]), headers: Object.fromEntries(headers), body: rest.join("\r\n\r\n") };
}

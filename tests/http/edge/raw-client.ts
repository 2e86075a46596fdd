import { connect, type Socket } from "node:net";

const TIMEOUT_MS = 15_000;
const CHUNK_BYTES = 64 * 1024;

/** What came back. */
export type RawAnswer = { status: number; headers: Readonly<Record<string, string>>; body: string };

/** A request as bytes: what no decent client would send. */
export type RawRequest = {
  /** Method, target and version, e.g. `GET / HTTP/1.1`. */
  line: string;
  /** Header lines; nothing is added to them. */
  headers: readonly string[];
  /** Sent after the head, in pieces, for as long as the server reads. */
  body?: Uint8Array;
  /** Reads nothing before the whole body is sent, as simple clients do. */
  wholeBody?: boolean;
};

/** Sends bytes and reads what is answered, also when the server does not wait for the end of the request. */
export async function sendRaw(url: string, request: RawRequest): Promise<RawAnswer> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port) });
  socket.setNoDelay(true);
  // A server that has answered may hang up on who is still sending.
  socket.on("error", () => {});
  try {
    await new Promise<void>((resolve, reject) => socket.once("connect", resolve).once("error", reject));
    if (request.wholeBody) socket.pause();
    const answered = readAnswer(socket, request.wholeBody ?? false);
    socket.write(`${[request.line, ...request.headers].join("\r\n")}\r\n\r\n`, "latin1");
    await Promise.race([answered, writeBody(socket, request.body)]);
    if (request.wholeBody) socket.resume();
    return await answered;
  } finally {
    socket.destroy();
  }
}

async function writeBody(socket: Socket, body: Uint8Array = new Uint8Array()) {
  for (let at = 0; at < body.length && socket.writable; at += CHUNK_BYTES) {
    await new Promise<void>((resolve) => socket.write(body.subarray(at, at + CHUNK_BYTES), () => resolve()));
  }
}

function readAnswer(socket: Socket, later: boolean): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    let text = "";
    const timer = setTimeout(() => reject(new Error(`No answer in time, but: ${text.slice(0, 500)}`)), TIMEOUT_MS);
    const end = () => {
      clearTimeout(timer);
      if (text === "") reject(new Error("The server hung up without an answer"));
      else resolve(parse(text));
    };
    socket.on("data", (chunk) => {
      text += chunk.toString("utf8");
      if (isWhole(text)) end();
    });
    socket.on("close", end);
    // A listener for data starts to read.
    if (later) socket.pause();
  });
}

function isWhole(text: string) {
  const [head = "", ...rest] = text.split("\r\n\r\n");
  if (rest.length === 0) return false;
  const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
  return length !== undefined && Buffer.byteLength(rest.join("\r\n\r\n")) >= Number(length);
}

function parse(text: string): RawAnswer {
  const [head = "", ...rest] = text.split("\r\n\r\n");
  const [line = "", ...lines] = head.split("\r\n");
  const headers = lines.map((header) => [
    header.split(":", 1)[0]?.toLowerCase() ?? "",
    header.replace(/^[^:]*: */, ""),
  ]);
  return { status: Number(line.split(" ")[1]), headers: Object.fromEntries(headers), body: rest.join("\r\n\r\n") };
}

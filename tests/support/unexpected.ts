import { Socket } from "node:net";
import { format } from "node:util";

/** What nobody has asked for, as one line each. */
export type Unexpected = {
  /** The lines since the last call. */
  take(): string[];
};

/** Lines that say nothing about the product. */
const KNOWN_LINES = [
  // The engine prints this once on Node 20, on which its own tests pass.
  /Unsupported runtime\. Use Node\.js/,
];

let expected: RegExp[] = [];

/** Lets the running test print lines of this kind; the next test is as strict as ever. */
export function expectConsole(line: RegExp) {
  expected.push(line);
}

/** From now on, `console.error` and `console.warn` are remembered instead of printed. */
export function watchConsole(): Unexpected {
  let lines: string[] = [];
  for (const level of ["error", "warn"] as const) {
    console[level] = (...values: unknown[]) => {
      const line = format(...values);
      if (![...KNOWN_LINES, ...expected].some((pattern) => pattern.test(line))) lines.push(`console.${level}: ${line}`);
    };
  }
  return {
    take() {
      const taken = lines;
      lines = [];
      expected = [];
      return taken;
    },
  };
}

/**
 * From now on, sockets reach this machine only; any other address fails at once, as with the cable pulled.
 * `alsoAllowed` are the hosts of databases that the tests were told to use.
 */
export function forbidNetwork(alsoAllowed: readonly string[] = []): Unexpected {
  let lines: string[] = [];
  const connect = Socket.prototype.connect;

  function guardedConnect(this: Socket, ...args: unknown[]): Socket {
    const host = targetHost(args);
    if (host === null || isLoopback(host) || alsoAllowed.includes(host)) return Reflect.apply(connect, this, args);
    const problem = `network: a connection to ${host}`;
    lines.push(problem);
    queueMicrotask(() => this.destroy(new Error(problem)));
    return this;
  }
  Reflect.set(Socket.prototype, "connect", guardedConnect);

  return {
    take() {
      const taken = lines;
      lines = [];
      return taken;
    },
  };
}

/** The servers and child processes that this process still holds open. */
export function openHandles(): string[] {
  const held = process.getActiveResourcesInfo().filter((kind) => kind === "TCPServerWrap" || kind === "ProcessWrap");
  return held.map((kind) => (kind === "TCPServerWrap" ? "a server that listens" : "a child process that runs"));
}

/** Reads the arguments of `socket.connect`; null for a socket file. Node hands on its own calls as one array. */
function targetHost(args: readonly unknown[]): string | null {
  const [first, second] = Array.isArray(args[0]) ? args[0] : args;
  if (typeof first === "object" && first !== null) {
    if ("path" in first && typeof first.path === "string") return null;
    return "host" in first && typeof first.host === "string" ? first.host : "localhost";
  }
  // A text that is no number is the path of a socket file.
  if (typeof first === "string" && !/^\d+$/.test(first)) return null;
  return typeof second === "string" ? second : "localhost";
}

function isLoopback(host: string) {
  return host === "localhost" || host.endsWith(".localhost") || host === "::1" || /^(::ffff:)?127\./.test(host);
}

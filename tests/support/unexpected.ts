import { Socket } from "node:net";
import { format } from "node:util";

/** Unexpected events, one line each. */
type Unexpected = {
  /** Returns and clears the lines. */
  take(): string[];
};

/** Lines that do not concern the product. */
const KNOWN_LINES = [
  // oidc-provider prints this on a Node that is no LTS, such as 26.10; the product is tested on it.
  /Unsupported runtime\. Use Node\.js/,
];

/** Node's own function: each call of `forbidNetwork` replaces the guard of the previous test file. */
const { connect } = Socket.prototype;

let expected: RegExp[] = [];

/** Allows lines that match the pattern until the end of the current test. */
export function expectConsole(line: RegExp) {
  expected.push(line);
}

/** Records `console.error` and `console.warn` instead of printing them. */
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

/** Makes connections to other hosts than this machine fail. `alsoAllowed`: hosts of configured databases. */
export function forbidNetwork(alsoAllowed: readonly string[] = []): Unexpected {
  let lines: string[] = [];

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

/** Number of child processes that may stay open after a test file. */
let kept = 0;

/** Allows a running child process to stay until the worker ends; the returned function ends this. */
export function keepProcess(): () => void {
  kept += 1;
  return () => {
    kept -= 1;
  };
}

/** Open servers and child processes of earlier test files, which have failed for them. */
const reported = { TCPServerWrap: 0, ProcessWrap: 0 };

/** Returns the servers and child processes that are still open, except reported ones and those of `keepProcess`. */
export function openHandles(): string[] {
  const resources = process.getActiveResourcesInfo();
  const count = (kind: keyof typeof reported) => resources.filter((name) => name === kind).length - reported[kind];
  return [
    ...Array<string>(Math.max(0, count("TCPServerWrap"))).fill("a server that listens"),
    ...Array<string>(Math.max(0, count("ProcessWrap") - kept)).fill("a child process that runs"),
  ];
}

/** Keeps the next test files of this worker from failing for what is open now. */
export function reportOpenHandles(): void {
  const resources = process.getActiveResourcesInfo();
  reported.TCPServerWrap = resources.filter((name) => name === "TCPServerWrap").length;
  reported.ProcessWrap = resources.filter((name) => name === "ProcessWrap").length - kept;
}

/** Returns the host from the arguments of `socket.connect` (internal: one array); null for a Unix socket. */
function targetHost(args: readonly unknown[]): string | null {
  const [first, second] = Array.isArray(args[0]) ? args[0] : args;
  if (typeof first === "object" && first !== null) {
    if ("path" in first && typeof first.path === "string") return null;
    return "host" in first && typeof first.host === "string" ? first.host : "localhost";
  }
  // A non-numeric string is the path of a Unix socket.
  if (typeof first === "string" && !/^\d+$/.test(first)) return null;
  return typeof second === "string" ? second : "localhost";
}

function isLoopback(host: string) {
  return host === "localhost" || host.endsWith(".localhost") || host === "::1" || /^(::ffff:)?127\./.test(host);
}

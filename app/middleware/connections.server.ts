import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** The open connections of a server. */
export type Connections = {
  /** Closes those that have received nothing since they were opened, or since the last response. */
  closeIdle(): void;
  /** Closes those without a request in progress; a partial request head is not one. */
  closeWithoutRequest(): void;
};

type ConnectionState = {
  /** Requests whose head was received and whose response is not finished. */
  pendingRequests: number;
  /** Bytes read when the last response finished. */
  readBytes: number;
};

/** Tracks the connections of a server. Node's `closeIdleConnections` ignores those that never sent a request. */
export function trackConnections(server: Server): Connections {
  const latest = new WeakMap<Socket, IncomingMessage>();
  server.prependListener("request", (request) => latest.set(request.socket, request));
  const open = new Map<Socket, ConnectionState>();
  server.on("connection", (socket: Socket) => {
    lingerOnClose(socket, () => latest.get(socket));
    open.set(socket, { pendingRequests: 0, readBytes: 0 });
    socket.once("close", () => open.delete(socket));
  });
  server.prependListener("request", ({ socket }, response: ServerResponse) => {
    const state = open.get(socket);
    if (!state) return;
    state.pendingRequests += 1;
    response.once("close", () => {
      state.pendingRequests -= 1;
      state.readBytes = socket.bytesRead;
    });
  });

  function closeAll(isClosable: (socket: Socket, state: ConnectionState) => boolean): void {
    for (const [socket, state] of open) if (state.pendingRequests === 0 && isClosable(socket, state)) socket.destroy();
  }

  return {
    closeIdle: () => closeAll((socket, { readBytes }) => socket.bytesRead === readBytes),
    closeWithoutRequest: () => closeAll(() => true),
  };
}

/** Limits for reading the rest of a refused request's body before the connection is closed. */
const LINGER_BYTES = 16 * 1024 * 1024;
const LINGER_MS = 3000;
const LINGER_POLL_MS = 20;

/**
 * Closes the connection only after the rest of its latest request's body was read. Node closes it as soon as the
 * response is written; if bytes are still arriving, the kernel resets the connection, and a client that is still
 * sending never reads the response (RFC 9112 §9.6).
 */
function lingerOnClose(socket: Socket, latest: () => IncomingMessage | undefined): void {
  const destroySoon = socket.destroySoon;
  socket.destroySoon = () => {
    socket.destroySoon = destroySoon;
    const request = latest();
    if (!request || request.complete || socket.destroyed) return socket.destroySoon();
    // Flushes the response and half-closes the connection.
    socket.end();
    request.resume();
    const [readBytes, startedAt] = [socket.bytesRead, performance.now()];
    const timer = setInterval(() => {
      const isWithinLimits = socket.bytesRead - readBytes < LINGER_BYTES && performance.now() - startedAt < LINGER_MS;
      if (isWithinLimits && !request.complete && !socket.destroyed) return;
      clearInterval(timer);
      socket.destroy();
    }, LINGER_POLL_MS);
  };
}

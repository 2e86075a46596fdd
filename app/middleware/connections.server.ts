import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** The open connections of a server. */
export type Connections = {
  /** Closes those that have received nothing since they were opened, or since the last response. */
  closeSilent(): void;
  /** Closes those without a request in progress; a partial request head is not one. */
  closeUnasked(): void;
};

type Known = {
  /** Requests whose head was received and whose response is not finished. */
  underWay: number;
  /** Bytes read when the last response finished. */
  readBytes: number;
};

/** Tracks the connections of a server. Node's `closeIdleConnections` ignores those that never sent a request. */
export function watchConnections(server: Server): Connections {
  const latest = new WeakMap<Socket, IncomingMessage>();
  server.prependListener("request", (request) => latest.set(request.socket, request));
  const open = new Map<Socket, Known>();
  server.on("connection", (socket: Socket) => {
    lingerOnClose(socket, () => latest.get(socket));
    open.set(socket, { underWay: 0, readBytes: 0 });
    socket.once("close", () => open.delete(socket));
  });
  server.prependListener("request", ({ socket }, response: ServerResponse) => {
    const known = open.get(socket);
    if (!known) return;
    known.underWay += 1;
    response.once("close", () => {
      known.underWay -= 1;
      known.readBytes = socket.bytesRead;
    });
  });

  function closeAll(isOver: (socket: Socket, known: Known) => boolean): void {
    for (const [socket, known] of open) if (known.underWay === 0 && isOver(socket, known)) socket.destroy();
  }

  return {
    closeSilent: () => closeAll((socket, { readBytes }) => socket.bytesRead === readBytes),
    closeUnasked: () => closeAll(() => true),
  };
}

/** Limits for reading the rest of a refused request's body before the connection is closed. */
const LINGER_BYTES = 16 * 1024 * 1024;
const LINGER_MS = 3000;
const LINGER_LOOK_MS = 20;

/**
 * Closes the connection only after the rest of its latest request's body was read. Node closes it as soon as the
 * response is written; if bytes are still arriving, the kernel resets the connection, and a client that is still
 * sending never reads the response (RFC 9112 §9.6).
 */
function lingerOnClose(socket: Socket, latest: () => IncomingMessage | undefined): void {
  const closeAtOnce = socket.destroySoon;
  socket.destroySoon = () => {
    socket.destroySoon = closeAtOnce;
    const request = latest();
    if (!request || request.complete || socket.destroyed) return socket.destroySoon();
    // Flushes the response and half-closes the connection.
    socket.end();
    request.resume();
    const [readBytes, startedAt] = [socket.bytesRead, performance.now()];
    const looking = setInterval(() => {
      const isPatient = socket.bytesRead - readBytes < LINGER_BYTES && performance.now() - startedAt < LINGER_MS;
      if (isPatient && !request.complete && !socket.destroyed) return;
      clearInterval(looking);
      socket.destroy();
    }, LINGER_LOOK_MS);
  };
}

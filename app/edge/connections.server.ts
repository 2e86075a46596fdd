import type { Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** The open connections of a server, and what each of them is waited for. */
export type Connections = {
  /** Closes those on which nothing has come since they were opened, or since the last answer. */
  closeSilent(): void;
  /** Closes those on which no request is under way; a head that came in part is none. */
  closeUnasked(): void;
};

type Known = {
  /** Requests whose head is here and whose answer is not out. */
  underWay: number;
  /** What had been read when the last of them was answered. */
  readBytes: number;
};

/** Watches the connections of a server from its start. Node's own `closeIdleConnections` knows none that never asked. */
export function watchConnections(server: Server): Connections {
  const open = new Map<Socket, Known>();
  server.on("connection", (socket: Socket) => {
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

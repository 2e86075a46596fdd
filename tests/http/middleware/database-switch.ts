import { once } from "node:events";
import { rename } from "node:fs/promises";
import { connect, createServer, type Server, type Socket } from "node:net";
import { createDatabase } from "#tests/support/databases.ts";
import { startServer, type TestServer } from "#tests/support/server.ts";

/** A connection between server and PostgreSQL that can be cut. */
export type DatabaseProxy = {
  url: string;
  disconnect(): Promise<void>;
  reconnect(): Promise<void>;
  close(): Promise<void>;
};

export async function startDatabaseProxy(target: URL): Promise<DatabaseProxy> {
  const sockets = new Set<Socket>();
  const hold = (socket: Socket) => {
    sockets.add(socket);
    socket.on("error", () => {}).once("close", () => sockets.delete(socket));
  };
  const listener: Server = createServer((incoming) => {
    const outgoing = connect({ host: target.hostname, port: Number(target.port) });
    hold(incoming);
    hold(outgoing);
    incoming.pipe(outgoing).pipe(incoming);
    incoming.once("close", () => outgoing.destroy());
    outgoing.once("close", () => incoming.destroy());
  });
  listener.listen(0, "127.0.0.1");
  await once(listener, "listening");
  const address = listener.address();
  const port = typeof address === "object" && address ? address.port : 0;
  const url = new URL(target);
  url.hostname = "127.0.0.1";
  url.port = String(port);
  async function disconnect() {
    const closed = once(listener, "close");
    listener.close();
    for (const socket of sockets) socket.destroy();
    await closed;
  }
  return {
    url: url.href,
    disconnect,
    async reconnect() {
      listener.listen(port, "127.0.0.1");
      await once(listener, "listening");
    },
    close: disconnect,
  };
}

/** A server whose database can be away: PostgreSQL refuses connections, and the file of SQLite is at another path. */
export type SwitchedServer = {
  server: TestServer;
  whileAway<T>(work: () => Promise<T>): Promise<T>;
  close(): Promise<void>;
};

export async function startSwitchedServer(): Promise<SwitchedServer> {
  const switched = await (process.env.GATEHOUSE_TEST_DIALECT === "postgres" ? startOnPostgres() : startOnSqlite());
  const { server, whileAway } = switched;
  return {
    ...switched,
    async whileAway(work) {
      // A mail that is being sent meanwhile would stay claimed: the tests' mailer does not poll.
      await server.mails();
      return whileAway(work);
    },
  };
}

async function startOnPostgres(): Promise<SwitchedServer> {
  const database = await createDatabase("postgres");
  if (database.target.dialect !== "postgres") throw new Error("no PostgreSQL");
  const proxy = await startDatabaseProxy(new URL(database.target.url));
  const server = await startServer({ env: { DATABASE_URL: proxy.url } });
  return {
    server,
    async whileAway(work) {
      await proxy.disconnect();
      return work().finally(() => proxy.reconnect());
    },
    async close() {
      await server.close();
      await proxy.close();
      await database.remove();
    },
  };
}

async function startOnSqlite(): Promise<SwitchedServer> {
  const server = await startServer();
  const { database } = server.context.config;
  if (database.dialect !== "sqlite") throw new Error("no SQLite");
  const { file } = database;
  const away = `${file}.away`;
  // As the hourly job and the readiness check do: they detect that the file is away, and that it is back.
  const check = () => server.context.store.requireSameFile();
  return {
    server,
    async whileAway(work) {
      await rename(file, away);
      if (!throws(check)) throw new Error("the file is not away");
      return work().finally(async () => {
        await rename(away, file);
        check();
      });
    },
    close: () => server.close(),
  };
}

function throws(work: () => void): boolean {
  try {
    work();
  } catch {
    return true;
  }
  return false;
}

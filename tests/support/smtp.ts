import { once } from "node:events";
import { createServer, type Server, type Socket } from "node:net";
import { SMTPServer, type SMTPServerOptions } from "smtp-server";
import { readMail, type TestMail } from "./mails.ts";

/** A local mail server. */
type TestSmtp = {
  /** Value of SMTP_URL. */
  url: string;
  port: number;
  /** Received mails, parsed, in order of arrival. */
  mails(): Promise<TestMail[]>;
  close(): Promise<void>;
};

/** Starts an SMTP server that accepts every mail unless the options change that. */
export async function startSmtp(options: SMTPServerOptions & { port?: number } = {}): Promise<TestSmtp> {
  const taken: Buffer[] = [];
  const { port: wanted = 0, ...own } = options;
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ["STARTTLS"],
    logger: false,
    onData(stream, _session, done) {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("end", () => {
        taken.push(Buffer.concat(chunks));
        done();
      });
    },
    ...own,
  });
  // Some tests disconnect during a delivery.
  server.on("error", () => {});
  await new Promise<void>((resolve) => server.listen(wanted, "127.0.0.1", () => resolve()));
  const port = portOf(server.server);
  return {
    url: `smtp://127.0.0.1:${port}`,
    port,
    mails: () => Promise.all(taken.map(readMail)),
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

/** Starts a TCP server that handles each connection with `meet`. */
export async function startStrangeSmtp(meet: (socket: Socket) => void): Promise<Omit<TestSmtp, "mails">> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    meet(socket);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const port = portOf(server);
  return {
    url: `smtp://127.0.0.1:${port}`,
    port,
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}

function portOf(server: Pick<Server, "address">): number {
  const address = server.address();
  if (typeof address !== "object" || address === null) throw new Error("the mail server does not listen");
  return address.port;
}

import { once } from "node:events";
import { connect } from "node:net";
import { z } from "zod";

/** Firefox's own remote-control port, which geckodriver uses too. */
export type Marionette = {
  call(name: string, parameters?: Readonly<Record<string, unknown>>): Promise<unknown>;
  close(): void;
};

/** A response: [1, command id, error, result]. Firefox's first message is an object instead. */
const response = z.tuple([z.literal(1), z.number(), z.object({ message: z.string() }).nullable(), z.unknown()]);

type Waiting = { resolve(result: unknown): void; reject(error: Error): void };

/** Connects to Marionette. A message is its length in bytes, a colon, and the JSON. */
export async function connectMarionette(port: number): Promise<Marionette> {
  const socket = connect(port, "127.0.0.1");
  const waiting = new Map<number, Waiting>();
  let received = Buffer.alloc(0);
  let count = 0;
  socket.on("data", (bytes) => {
    received = Buffer.concat([received, bytes]);
    for (let message = firstMessage(received); message !== null; message = firstMessage(received)) {
      received = received.subarray(message.end);
      settle(waiting, message.json);
    }
  });
  socket.on("close", () => {
    for (const { reject } of waiting.values()) reject(new Error("Firefox closed the connection"));
  });
  await once(socket, "connect");
  return {
    call(name, parameters = {}) {
      count += 1;
      const message = JSON.stringify([0, count, name, parameters]);
      const response = new Promise((resolve, reject) => waiting.set(count, { resolve, reject }));
      socket.write(`${Buffer.byteLength(message)}:${message}`);
      return response;
    },
    close: () => socket.destroy(),
  };
}

function firstMessage(received: Buffer): { json: unknown; end: number } | null {
  const colon = received.indexOf(":");
  if (colon === -1) return null;
  const end = colon + 1 + Number(received.toString("latin1", 0, colon));
  if (received.length < end) return null;
  return { json: JSON.parse(received.toString("utf8", colon + 1, end)), end };
}

function settle(waiting: Map<number, Waiting>, json: unknown): void {
  const { success, data } = response.safeParse(json);
  if (!success) return;
  const [, number, error, result] = data;
  const request = waiting.get(number);
  waiting.delete(number);
  if (error === null) request?.resolve(result);
  else request?.reject(new Error(error.message));
}

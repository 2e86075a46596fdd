import { once } from "node:events";
import { createServer } from "node:http";
import { decodeJwt, type JWTPayload } from "jose";
import { vi } from "vitest";

/** HTTP status of the response; "nothing" sends no response. */
type ReceiverResponse = number | "nothing";

/** A client's back-channel logout endpoint on its own port. */
export type LogoutReceiver = {
  uri: string;
  /** Received logout tokens, also those that were not accepted, oldest first. */
  tokens(): JWTPayload[];
  respondWith(response: ReceiverResponse): void;
  /** Resolves to the tokens once there are `count` of them; only those of `sub` if it is given. */
  receive(count: number, sub?: string): Promise<JWTPayload[]>;
  clear(): void;
  close(): Promise<void>;
};

/** Starts a receiver that responds with 200. */
export async function startLogoutReceiver(): Promise<LogoutReceiver> {
  let tokens: JWTPayload[] = [];
  let response: ReceiverResponse = 200;
  const server = createServer(async (request, reply) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    tokens.push(decodeJwt(new URLSearchParams(body).get("logout_token") ?? ""));
    if (response !== "nothing") reply.writeHead(response).end();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the receiver has no port");
  return {
    uri: `http://127.0.0.1:${address.port}/back-channel`,
    tokens: () => tokens,
    respondWith(next) {
      response = next;
    },
    receive: (count, sub) =>
      vi.waitFor(
        () => {
          const found = tokens.filter((token) => sub === undefined || token.sub === sub);
          if (found.length < count) throw new Error(`${found.length} of ${count} logout tokens`);
          return found;
        },
        { timeout: 20_000, interval: 25 },
      ),
    clear() {
      tokens = [];
      response = 200;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}

import { once } from "node:events";
import { createServer } from "node:net";

/**
 * Below the ports that the system assigns, which a connection may take before the caller listens; above 10080, which
 * browsers refuse.
 */
const FIRST_PORT = 11_000;
const PORTS = 19_000;

/** Processes start at different ports, and come to those of another one much later. */
let next = (process.pid * 131) % PORTS;

/** Returns a port that is currently free, and that no other call of this process returns soon. */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < PORTS; tries += 1) {
    const port = FIRST_PORT + next;
    next = (next + 1) % PORTS;
    if (await isFree(port)) return port;
  }
  throw new Error("no port is free");
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  try {
    server.listen(port, "127.0.0.1");
    await once(server, "listening");
  } catch {
    return false;
  }
  server.close();
  await once(server, "close");
  return true;
}

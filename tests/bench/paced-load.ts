import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { z } from "zod";
import { BUNDLES } from "./references.ts";
import type { Application, Service } from "./sign-in-flow.ts";

type ServiceDetails = { service: { issuer: string; authorizationPath: string; application: Application } };

/** A request to the load client. */
export type LoadRequest = ServiceDetails &
  ({ what: "capacity"; clients: number; seconds: number } | { what: "begin"; perSecond: number } | { what: "end" });

/** Scheduled time of a page (milliseconds since 1970) and its response time from then on. */
export type Wait = z.infer<typeof wait>;

const wait = z.object({ at: z.number(), ms: z.number() });
const responseSchema = z.object({ perSecond: z.number(), waits: z.array(wait), failed: z.number() });

export type LoadResponse = z.infer<typeof responseSchema>;

/** Opens login pages at a fixed rate from a separate process. */
type PacedLoad = {
  /** Measures pages per second with `clients` concurrent clients. */
  capacity(clients: number, seconds: number): Promise<number>;
  start(perSecond: number): Promise<void>;
  /** Stops the load and returns all response times. Throws if a page could not be opened. */
  end(): Promise<Wait[]>;
  stop(): void;
};

/** Starts the process without load. */
export function startPacedLoad({ issuer, authorizationPath, application }: Service): PacedLoad {
  const child = fork(join(BUNDLES, "paced-client.js"), { execArgv: [] });
  const service = { issuer: issuer.href, authorizationPath, application };

  async function sendToClient(request: LoadRequest): Promise<LoadResponse> {
    const reply = once(child, "message");
    child.send(request);
    const [message] = await reply;
    return responseSchema.parse(message);
  }

  return {
    capacity: async (clients, seconds) =>
      (await sendToClient({ what: "capacity", service, clients, seconds })).perSecond,
    start: async (perSecond) => void (await sendToClient({ what: "begin", service, perSecond })),
    async end() {
      const { waits, failed } = await sendToClient({ what: "end", service });
      if (failed > 0) throw new Error(`${failed} login pages could not be opened.`);
      return waits;
    },
    stop: () => void child.kill(),
  };
}

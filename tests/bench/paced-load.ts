import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { z } from "zod";
import { BUNDLES } from "./references.ts";
import type { Application, Service } from "./sign-in-flow.ts";

type Facts = { service: { issuer: string; authorizationPath: string; application: Application } };

/** What the client in its own process understands. */
export type PacedAsk = Facts &
  ({ what: "capacity"; clients: number; seconds: number } | { what: "begin"; perSecond: number } | { what: "end" });

/** Since when a page was due (milliseconds since 1970), and how long it took from then on. */
export type Wait = z.infer<typeof wait>;

const wait = z.object({ at: z.number(), ms: z.number() });
const answer = z.object({ perSecond: z.number(), waits: z.array(wait), failed: z.number() });

export type PacedAnswer = z.infer<typeof answer>;

/** Login pages that are opened at a fixed pace, by a process of its own. */
export type PacedLoad = {
  /** Pages a second that the server can open for so many at once. */
  capacity(clients: number, seconds: number): Promise<number>;
  begin(perSecond: number): Promise<void>;
  /** Ends, and tells of all pages since the beginning. Throws when one could not be opened. */
  end(): Promise<Wait[]>;
  stop(): void;
};

/** Starts the process; it asks for nothing yet. */
export function startPacedLoad({ issuer, authorizationPath, application }: Service): PacedLoad {
  const child = fork(join(BUNDLES, "paced-client.js"), { execArgv: [] });
  const service = { issuer: issuer.href, authorizationPath, application };

  async function ask(question: PacedAsk): Promise<PacedAnswer> {
    const told = once(child, "message");
    child.send(question);
    const [message] = await told;
    return answer.parse(message);
  }

  return {
    capacity: async (clients, seconds) => (await ask({ what: "capacity", service, clients, seconds })).perSecond,
    begin: async (perSecond) => void (await ask({ what: "begin", service, perSecond })),
    async end() {
      const { waits, failed } = await ask({ what: "end", service });
      if (failed > 0) throw new Error(`${failed} login pages could not be opened.`);
      return waits;
    },
    stop: () => void child.kill(),
  };
}

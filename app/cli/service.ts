import type { Logger } from "pino";
import type { Config } from "#app/config/config.ts";
import type { FileListener } from "#app/mail/transport.server.ts";

export type ServeOptions = {
  config: Config;
  log: Logger;
  /** Starts under a new host although security keys are bound to the previous one. */
  acceptHost?: boolean;
  /** Called for each mail that is written to a file. */
  fileListener?: FileListener;
};

/** A listening server. `close` finishes open requests and closes the database. */
type RunningService = { url: string; close(): Promise<void> };

/** Starts the server and resolves when it listens. Passed in by main.ts and scripts/dev.mjs. */
export type Serve = (options: ServeOptions) => Promise<RunningService>;

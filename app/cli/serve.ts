import type { Logger } from "pino";
import type { Config } from "#app/config/config.ts";
import type { FileListener } from "#app/mail/transport.server.ts";

/**
 * What a server is started with. `development` builds the pages on demand, by Vite; `acceptHost` goes on under another
 * host although security keys are bound to the older one; `fileListener` hears of mails that become files.
 */
export type ServeOptions = {
  config: Config;
  log: Logger;
  development: boolean;
  acceptHost?: boolean;
  fileListener?: FileListener;
};

/** A server that listens at `url`; `close` answers what has begun and closes the database. */
export type RunningService = { url: string; close(): Promise<void> };

/** Starts the server and resolves when it listens. main.ts makes it; the commands know no more of it. */
export type Serve = (options: ServeOptions) => Promise<RunningService>;

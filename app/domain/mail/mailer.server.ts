import { setTimeout as sleep } from "node:timers/promises";
import type { Config } from "#app/config.server.ts";
import { describeError } from "#app/domain/audit/describe-error.server.ts";
import type { FileListener, MailTransport } from "#app/mail/transport.server.ts";
import { type DeliveryContext, deliverDueMails } from "./deliver.server.ts";

/** What sends the mails of the outbox, once it is started. Where nobody starts it, mails wait for a server. */
export type Mailer = {
  /** Begins to look for due mails every few seconds. `fileListener`: hears of mails that become files. */
  start(fileListener?: FileListener): Promise<void>;
  /** Looks now; to be called after an answer that queued a mail. Waits for nothing, and never throws. */
  wake(): void;
  /** Ends it: what is under way may finish, but not for long. */
  stop(): Promise<void>;
};

/** What sending touches; the way out is opened at the start. */
export type MailerContext = Omit<DeliveryContext, "transport"> & { config: Pick<Config, "smtpUrl" | "dataDir"> };

/** How often somebody looks, in milliseconds: for attempts that are due again, and mails of other processes. */
const LOOK_MS = 5_000;

/** How long a mail under way may take when the server stops; shorter than the server's own drain. */
const STOP_MS = 5_000;

/** A mailer for this database. Never looks twice at once. */
export function createMailer(context: MailerContext): Mailer {
  const stopping = new AbortController();
  let transport: MailTransport | null = null;
  let timer: NodeJS.Timeout | null = null;
  let running: Promise<void> | null = null;
  let isAskedAgain = false;

  function wake(): void {
    if (transport === null || stopping.signal.aborted) return;
    if (running !== null) {
      isAskedAgain = true;
      return;
    }
    running = look(transport).finally(() => {
      running = null;
      const again = isAskedAgain;
      isAskedAgain = false;
      if (again) wake();
    });
  }

  async function look(way: MailTransport): Promise<void> {
    try {
      await deliverDueMails({ ...context, transport: way }, stopping.signal);
    } catch (error) {
      context.log.error({ error: describeError(error) }, "delivering mail failed");
    }
  }

  return {
    async start(fileListener) {
      // Read on demand: commands queue mails, but none of them sends one.
      const { createMailTransport } = await import("#app/mail/transport.server.ts");
      transport = createMailTransport(context.config, fileListener);
      timer = setInterval(wake, LOOK_MS);
      wake();
    },
    wake,
    async stop() {
      stopping.abort();
      if (timer !== null) clearInterval(timer);
      const patience = new AbortController();
      const limit = sleep(STOP_MS, undefined, { signal: patience.signal }).catch(() => {});
      await Promise.race([running, limit]);
      patience.abort();
      transport?.close();
      await running;
    },
  };
}

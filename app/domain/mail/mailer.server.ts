import type { Config } from "#app/config/config.ts";
import { createDeliveryWorker } from "#app/domain/delivery/worker.server.ts";
import type { FileListener, MailTransport } from "#app/mail/transport.server.ts";
import { type DeliveryDeps, deliverDueMails } from "./deliver.server.ts";

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
export type MailerDeps = Omit<DeliveryDeps, "transport"> & { config: Pick<Config, "smtpUrl" | "dataDir"> };

/** A mailer for this database. Never looks twice at once. */
export function createMailer(context: MailerDeps): Mailer {
  const worker = createDeliveryWorker({ log: context.log, failure: "delivering mail failed" });
  let transport: MailTransport | null = null;

  return {
    async start(fileListener) {
      // Read on demand: commands queue mails, but none of them sends one.
      const { createMailTransport } = await import("#app/mail/transport.server.ts");
      const opened = createMailTransport(context.config, fileListener);
      transport = opened;
      worker.start((stopping) => deliverDueMails({ ...context, transport: opened }, stopping));
    },
    wake: worker.wake,
    stop: () => worker.stop(() => transport?.close()),
  };
}

import { createDeliveryWorker } from "#app/domain/delivery/worker.server.ts";
import type { FileListener, MailTransport, TransportConfig } from "#app/mail/transport.server.ts";
import { type DeliveryDeps, deliverDueMails } from "./deliver.server.ts";

/** Sends the mails of the outbox in a server. Commands do not start it: their mails wait for a server. */
export type Mailer = {
  /**
   * Starts sending: mails of this process once they are queued, retries and mails of other processes by polling.
   * `fileListener`: called for each mail that is written to a file.
   */
  start(fileListener?: FileListener): Promise<void>;
  /** Stops polling; current deliveries have 5 s to finish. */
  stop(): Promise<void>;
};

/** Dependencies of a mailer; `start` opens the transport. */
type MailerDeps = Omit<DeliveryDeps, "transport"> & { config: TransportConfig };

/** Creates a mailer for this database, not yet started. */
export function createMailer(context: MailerDeps): Mailer {
  const worker = createDeliveryWorker({ ...context, wakeEvent: "mail queued", failure: "delivering mail failed" });
  let transport: MailTransport | null = null;

  return {
    async start(fileListener) {
      // Imported on demand, because commands queue mails but never start the mailer.
      const { createMailTransport } = await import("#app/mail/transport.server.ts");
      const opened = createMailTransport(context.config, { clock: context.clock, fileListener });
      transport = opened;
      worker.start((stopping) => deliverDueMails({ ...context, transport: opened }, stopping));
    },
    stop: () => worker.stop(() => transport?.close()),
  };
}

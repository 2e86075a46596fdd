import { createTransport } from "nodemailer";
import { type MailProblem, problemOf } from "./problem.server.ts";
import { smtpOptions } from "./transport.server.ts";

/** Connects to the SMTP server and authenticates, without sending a mail. Resolves to null if that succeeds. */
export async function checkMailServer(smtpUrl: string): Promise<MailProblem | null> {
  const mailer = createTransport(smtpOptions(smtpUrl));
  try {
    await mailer.verify();
    return null;
  } catch (error) {
    return problemOf(error);
  } finally {
    mailer.close();
  }
}

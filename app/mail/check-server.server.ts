import { createTransport } from "nodemailer";
import { type MailProblem, problemOf } from "./problem.server.ts";
import { smtpOptions } from "./transport.server.ts";

/** Speaks with the server of SMTP_URL up to the account, and sends nothing. Null when it would take our mail. */
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

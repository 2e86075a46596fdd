import { z } from "zod";
import type { OneTimeTokenKind } from "#app/db/schema.server.ts";
import type { Secrets } from "#app/domain/secret/secrets.server.ts";
import type { MailMessage } from "#app/mail/message.server.ts";
import type { SealedSecret, TokenHash } from "#app/ports.ts";

/** The one-time token of a mail's link. */
export type MailToken = { kind: OneTimeTokenKind; hash: TokenHash };

/** What the outbox keeps of a mail. `token`: without it the mail is worth nothing; null: the mail has no link. */
export type WaitingMail = { message: MailMessage; token: MailToken | null; expiresAt: Date };

const mailbox = z.object({ name: z.string(), address: z.string() });

const schema = z.object({
  message: z.object({
    id: z.string(),
    to: mailbox,
    from: mailbox,
    subject: z.string(),
    text: z.string(),
    html: z.string(),
  }),
  token: z
    .object({
      kind: z.custom<OneTimeTokenKind>((value) => typeof value === "string"),
      hash: z.custom<TokenHash>((value) => typeof value === "string"),
    })
    .nullable(),
  expiresAt: z.coerce.date(),
});

/** Encrypts a mail for the outbox: whoever reads the database must not open the links in it. */
export function sealMail(secrets: Secrets, mail: WaitingMail): Promise<SealedSecret> {
  return secrets.seal("mail", JSON.stringify(mail));
}

/** The mail again. Throws DomainError "wrong secret key". */
export async function openMail(secrets: Secrets, sealed: SealedSecret): Promise<WaitingMail> {
  return schema.parse(JSON.parse(await secrets.open("mail", sealed)));
}

import { z } from "zod";
import type { OneTimeTokenKind } from "#app/db/schema.server.ts";
import type { Secrets } from "#app/domain/secret/secrets.server.ts";
import type { MailMessage } from "#app/mail/message.server.ts";
import type { SealedSecret, TokenHash } from "#app/ports.ts";

/** The one-time token of a mail's link. */
export type MailToken = { kind: OneTimeTokenKind; hash: TokenHash };

/** Decrypted content of an outbox row. `token`: token of the mail's link; null if it has none. */
export type MailContent = { message: MailMessage; token: MailToken | null; expiresAt: Date };

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

/** Encrypts a mail for the outbox, so that a copy of the database does not reveal its links. */
export function sealMail(secrets: Secrets, mail: MailContent): Promise<SealedSecret> {
  return secrets.seal("mail", JSON.stringify(mail));
}

/** Decrypts a mail of the outbox. Throws DomainError "wrong secret key". */
export async function openMail(secrets: Secrets, sealed: SealedSecret): Promise<MailContent> {
  return schema.parse(JSON.parse(await secrets.open("mail", sealed)));
}

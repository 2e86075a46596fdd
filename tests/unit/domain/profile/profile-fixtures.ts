import { asc } from "drizzle-orm";
import { findUser } from "#app/db/repositories/users.server.ts";
import type { NewUser, User } from "#app/db/schema.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { openMail } from "#app/domain/mail/sealed-mail.server.ts";
import { confirmEmailChange } from "#app/domain/profile/confirm-email.server.ts";
import { requestEmailChange } from "#app/domain/profile/request-email.server.ts";
import { undoEmailChange } from "#app/domain/profile/undo-email.server.ts";
import type { Dialect } from "#tests/support/databases.ts";
import { METADATA, openedSettings, openSettings } from "#tests/unit/domain/access/settings-fixtures.ts";
import { type Installation, REQUEST, secrets } from "#tests/unit/domain/fixtures.ts";

export const OLD = "anna@office.example";
export const NEW = "anna.berg@office.example";

/** Returns dependencies with which users may change all of their profile. */
export function allowAll<Parts extends Pick<Installation, "config">>(parts: Parts): Parts {
  return { ...parts, config: { ...parts.config, profileChanges: ["name", "phone", "email"] } };
}

/** Anna has just opened the settings; she may change all of her profile. */
export async function annaInSettings(dialect: Dialect, fields: Partial<NewUser> = {}) {
  const opened = await openedSettings(dialect, { email: OLD, emailVerified: true, ...fields });
  const parts = allowAll(opened.parts);
  return { ...opened, parts, ...stepsOf(parts, opened.user.id) };
}

/** Returns the steps of a change of the address of a user. */
export function stepsOf(parts: Installation, userId: string) {
  const { store, clock } = parts;
  const stored = () => findUserOrFail(store, userId);
  const newest = (parameter: Parameter) => async () => (await tokensIn(store, parameter)).at(-1)?.token ?? "";
  const steps = {
    stored,
    /** Requests a new address, from settings that are opened for it. */
    async request(email: string) {
      clock.advance(1);
      const access = await openSettings(parts, await stored());
      return requestEmailChange(parts, access, { ...METADATA, email, pageLanguage: "en" });
    },
    /** Confirms with a token, by default that of the newest mail. */
    async confirm(changeToken?: string) {
      const token = changeToken ?? (await newest("change_token")());
      return confirmEmailChange(parts, { changeToken: token, ...REQUEST });
    },
    async undo(undoToken?: string) {
      const token = undoToken ?? (await newest("undo_token")());
      return undoEmailChange(parts, { undoToken: token, pageLanguage: "en", ...REQUEST });
    },
    async changeTo(email: string) {
      await steps.request(email);
      return steps.confirm();
    },
  };
  return steps;
}

async function findUserOrFail(store: Store, userId: string): Promise<User> {
  const user = await findUser(store, userId);
  if (!user) throw new Error("user not found");
  return user;
}

/** Returns kind, recipient and text of all queued mails, oldest first. */
export async function mailsIn({ q, t: { mailOutbox } }: Store) {
  const rows = await q.select().from(mailOutbox).orderBy(asc(mailOutbox.createdAt));
  return Promise.all(
    rows.map(async ({ kind, sealedMessage }) => {
      const { message } = await openMail(secrets, sealedMessage);
      return { kind, to: message.to.address, text: message.text };
    }),
  );
}

/** Returns kind and recipient of all queued mails, oldest first. */
export async function sentTo(store: Store): Promise<string[]> {
  return (await mailsIn(store)).map(({ kind, to }) => `${kind} to ${to}`);
}

type Parameter = "change_token" | "undo_token" | "reset_token";

/** Returns the tokens in the links of all queued mails, oldest first. */
export async function tokensIn(store: Store, parameter: Parameter) {
  return (await mailsIn(store)).flatMap(({ to, text }) => {
    const token = new RegExp(`${parameter}=([\\w-]{43})`).exec(text)?.[1];
    return token ? [{ to, token }] : [];
  });
}

/** Returns the address of a user, and whether it is verified. */
export function addressOf({ email, emailCanonical, emailVerified }: User) {
  return { email, emailCanonical, emailVerified };
}

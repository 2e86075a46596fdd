import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import PostalMime, { type Email } from "postal-mime";
import type { AppContext } from "#app/context.server.ts";
import { noteUrl } from "./sent-secrets.ts";

/** A parsed mail. */
export type TestMail = { to: string; from: string; subject: string; text: string; html: string; email: Email };

/** Parses a raw mail. */
export async function readMail(raw: Buffer | string): Promise<TestMail> {
  const email = await PostalMime.parse(raw);
  const { subject = "", text = "", html = "" } = email;
  const [to] = email.to ?? [];
  for (const word of text.split(/\s+/)) noteUrl(word);
  const addresses = { to: to?.address ?? "", from: email.from?.address ?? "" };
  return { ...addresses, subject, text: text.trimEnd(), html: html.trimEnd(), email };
}

/** Parsed mails by server, and by name and size of the file, which may still be written at the first call. */
const parsed = new WeakMap<AppContext, Map<string, Promise<TestMail>>>();

/** Waits until the mailer has delivered all due mails, and returns all in the outbox folder, oldest first. */
export async function mailsOf(context: AppContext): Promise<TestMail[]> {
  await waitForMailer(context);
  const known = parsed.get(context) ?? new Map<string, Promise<TestMail>>();
  parsed.set(context, known);
  const read = (file: string) => {
    const raw = readFileSync(file);
    const key = `${file} ${raw.length}`;
    const mail = known.get(key) ?? readMail(raw);
    known.set(key, mail);
    return mail;
  };
  return Promise.all(emlFiles(join(context.config.dataDir, "outbox")).map(read));
}

/** Longest time that the mailer may take, on a busy machine. */
const MAILER_MS = 10_000;

/** Does not use `vi.waitFor`, which moves the test clock. A mail that is being sent is due, too. */
async function waitForMailer({ store: { q, t }, clock }: AppContext): Promise<void> {
  for (const startedAt = performance.now(); ; await sleep(5)) {
    const rows = await q.select().from(t.mailOutbox);
    const due = rows.filter(({ nextAttemptAt }) => nextAttemptAt !== null && nextAttemptAt <= clock.now());
    if (due.length === 0) return;
    if (performance.now() - startedAt < MAILER_MS) continue;
    throw new Error(`nobody woke the mailer for: ${due.map(({ kind }) => kind).join(", ")}`);
  }
}

/** Returns the first link of a mail that has a query. */
export function linkOf({ text }: Pick<TestMail, "text">): string {
  const [link = ""] = text.split(/\s+/).filter((word) => /^https?:\/\/\S+\?/.test(word));
  if (link === "") throw new Error(`There is no link in this mail:\n${text}`);
  return link;
}

/** Sorted by mtime: the test clock stands still, the file system's does not. */
function emlFiles(folder: string): string[] {
  const files = readdirOrNone(folder).map((name) => join(folder, name));
  const written = new Map(files.map((file) => [file, statSync(file, { bigint: true }).mtimeNs]));
  return files.toSorted((a, b) => Number((written.get(a) ?? 0n) - (written.get(b) ?? 0n)));
}

function readdirOrNone(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

import { z } from "zod";
import { isMailAddress, needsSmtpUtf8 } from "#app/mail-address.server.ts";
import { oneLine, quote, type ValidationError, validated, validateWhiteSpace } from "./validate.server.ts";

/** An integer within inclusive bounds. */
export function wholeNumber(least: number, most: number) {
  return validated((text) => validateNumber(text, least, most)).transform(Number);
}

/** One of a few words. */
export function oneOf<const T extends readonly [string, ...string[]]>(words: T) {
  return z.enum(words, { error: (issue) => `is ${quote(String(issue.input))}` });
}

/** Several of a few words, separated by commas, without repetitions. */
export function listOf<const T extends readonly [string, ...string[]]>(words: T) {
  return z
    .string()
    .transform((text) => [...new Set(text.split(",").map((word) => word.trim()))])
    .pipe(z.array(oneOf(words)));
}

/** A text for users, on one line; `maxLength` in code points. */
export function plainText(maxLength: number) {
  return validated(oneLine(maxLength));
}

/** A path on this machine, absolute or from the working directory. */
export function path() {
  return validated(oneLine(1000), validateWhiteSpace);
}

/** A name of the IANA time zone database that Node supports. */
export function timeZone() {
  return validated(validateTimeZone);
}

/** A mail address without a name. */
export function mailAddress() {
  return validated(validateAddress);
}

/** A mail address, alone or as `Name <address>`. */
export function mailbox() {
  return validated(oneLine(200), validateMailbox);
}

function validateNumber(text: string, least: number, most: number): ValidationError {
  if (!/^\d{1,9}$/.test(text)) return `is not an integer: ${quote(text)}`;
  if (Number(text) < least) return `is ${Number(text)}, which is too small`;
  return Number(text) > most ? `is ${Number(text)}, which is too large` : null;
}

function validateTimeZone(text: string): ValidationError {
  // Intl also accepts offsets like "+02:00", which have no daylight saving time.
  return /^[a-z]/i.test(text) && isKnownToIntl(text) ? null : `is not a known time zone: ${quote(text)}`;
}

/** Returns true for a time zone that Node supports. */
export function isKnownToIntl(timeZone: string): boolean {
  try {
    new Intl.DateTimeFormat("en", { timeZone });
    return true;
  } catch {
    return false;
  }
}

/** Returns the address of a sender that is an address alone or `Name <address>`. */
export function addressOf(sender: string): string {
  return /^[^<>]*<([^<>]*)>$/.exec(sender)?.[1] ?? sender;
}

function validateMailbox(text: string): ValidationError {
  const address = addressOf(text);
  // Otherwise every mail would depend on what the mail servers of its recipient support.
  return needsSmtpUtf8(address) ? `has letters such as "ä" before the "@": ${quote(text)}` : validateAddress(address);
}

function validateAddress(text: string): ValidationError {
  return isMailAddress(text) ? null : `is not a mail address: ${quote(text)}`;
}
